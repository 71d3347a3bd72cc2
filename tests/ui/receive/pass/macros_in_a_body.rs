//! Macro calls beside, around and inside arms, guards and times.
#![deny(warnings)]
use std::pin::pin;

use futures::FutureExt;
use uproar::prelude::*;

struct A(u8);
struct B(u8);

macro_rules! seconds {
    ($n:expr) => {
        Duration::from_secs($n)
    };
}
macro_rules! even {
    ($n:ident) => {
        $n % 2 == 0
    };
}
macro_rules! finish {
    ($label:lifetime, $value:expr) => {
        break $label $value
    };
}

#[actor]
async fn macros() {
    let me = self_address::<Macros>();
    for n in [1, 2, 3] {
        me.send(A(n));
    }
    me.send(B(1));
    let mut log = vec![];
    let last = 'all: loop {
        #[receive(timeout = seconds!(60))]
        match receive().await {
            A(n) if even!(n) => log.push(format!("even {n}")),
            A(n) if matches!(n, 3..) => finish!('all, n),
            A(n) => log.extend(vec![format!("odd {n}"); 1]),
            Timeout => unreachable!("{log:?}"),
        }
    };
    assert_eq!(
        (last, &*log),
        (3, &["odd 1".to_owned(), "even 2".to_owned()][..])
    );
    // A receive is a future like others.
    let one = async {
        #[receive]
        match receive().await {
            B(n) => n,
        }
    };
    let (n, ()) = futures::join!(one, yield_now());
    assert_eq!(n, 1);
    me.send(A(4));
    let other = async {
        #[receive]
        match receive().await {
            A(n) => n,
        }
    };
    let mut other = pin!(other.fuse());
    let n = futures::select_biased! {
        n = other => n,
        () = sleep(seconds!(60)).fuse() => 0,
    };
    assert_eq!(n, 4);
}

fn main() {
    assert_eq!(uproar::run(macros()), ExitReason::Normal);
}
