//! Bindings are by value, and may be `mut`; a message is moved out when its arm is chosen, and not before.
#![deny(warnings)]
use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};

use uproar::prelude::*;

static DROPS: AtomicU32 = AtomicU32::new(0);

fn drops() -> u32 {
    DROPS.load(Ordering::Relaxed)
}

struct Counted;

impl Drop for Counted {
    fn drop(&mut self) {
        DROPS.fetch_add(1, Ordering::Relaxed);
    }
}

struct Parcel {
    to: u8,
    value: Box<u8>,
    counted: Counted,
}

#[actor(local)]
async fn mine() {
    for to in 1..=3 {
        self_address::<Mine>().send(Parcel {
            to,
            value: Box::new(to),
            counted: Counted,
        });
    }
    let tested = RefCell::new(Vec::new());
    let test = |to: u8| {
        tested.borrow_mut().push(to);
        true
    };
    let mine = 2;
    let value = #[receive]
    match receive().await {
        Parcel { to, value, .. } if test(to) && *value == 9 => *value,
        Parcel {
            to,
            mut value,
            counted: _counted,
        } if test(to) && to == mine => {
            assert_eq!(drops(), 0, "nothing is dropped before the body is over");
            *value += 10;
            *value
        }
    };
    assert_eq!((value, drops()), (12, 1));
    assert_eq!(*tested.borrow(), [1, 1, 2, 2]);
    let mut left = Vec::new();
    for _ in 0..2 {
        #[receive]
        match receive().await {
            Parcel { value, .. } => left.push(*value),
        }
    }
    assert_eq!((left, drops()), (vec![1, 3], 3));
}

fn main() {
    assert_eq!(uproar::run(mine()), ExitReason::Normal);
}
