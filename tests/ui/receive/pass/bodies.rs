//! An arm's body is ordinary code, and a receive an ordinary expression.
#![deny(warnings)]

use std::num::ParseIntError;
use std::rc::Rc;

use uproar::prelude::*;

struct A(u8);
struct B(u8);
struct Text(&'static str);

fn me() -> Address<Anything> {
    self_address::<Anything>()
}

/// `continue`, `?`, `break` with a value, and a value.
#[receive]
async fn sum() -> Result<u32, ParseIntError> {
    let mut sum = 0;
    loop {
        sum += #[receive(timeout = Duration::ZERO)]
        match receive().await {
            A(0) => continue,
            A(n) => u32::from(n),
            Text(text) => text.parse::<u32>()?,
            B(_) => return Ok(0),
            Timeout => break Ok(sum),
        };
    }
}

#[actor]
async fn control_flow() -> Result<(), ParseIntError> {
    me().send(A(0));
    me().send(A(2));
    me().send(Text("40"));
    assert_eq!(sum().await?, 42);
    me().send(Text("many"));
    me().send(A(1));
    assert!(sum().await.is_err());
    me().send(B(1));
    assert_eq!(sum().await?, 0);
    #[receive(timeout = Duration::ZERO)]
    match receive().await {
        A(_) => unreachable!(),
        Timeout => Ok(()),
    }
}

/// Labels of the loops around, whatever loops lie between.
#[actor]
async fn labelled_loops() {
    for n in [1, 2, 9, 2, 3] {
        me().send(A(n));
    }
    let mut seen = Vec::new();
    let last = 'outer: loop {
        let mut turns = 0;
        'inner: while turns < 3 {
            turns += 1;
            for of_turn in 0..2 {
                #[receive]
                match receive().await {
                    A(1) => continue 'inner,
                    A(9) => continue 'outer,
                    A(3) => break 'outer turns,
                    A(n) => seen.push((turns, of_turn, n)),
                }
            }
        }
    };
    assert_eq!(seen, [(2, 0, 2), (1, 0, 2)]);
    assert_eq!(last, 1);
    let block = 'block: {
        me().send(B(1));
        #[receive]
        match receive().await {
            B(n) if n == 0 => {}
            B(n) => break 'block n,
        }
        0
    };
    assert_eq!(block, 1);
}

/// Loops that wait are rewritten, and go on as they did.
#[actor]
async fn loops() {
    let mut out = Vec::new();
    'a: for i in 0..5u32 {
        if i == 1 {
            continue;
        }
        let mut j = 0;
        while j < 3 {
            j += 1;
            yield_now().await;
            if j == 2 {
                continue 'a;
            }
            if i == 3 {
                break 'a;
            }
            out.push(i * 10 + j);
        }
    }
    let mut items = [7u32, 8, 9].into_iter();
    while let Some(item) = items.next()
        && item < 9
    {
        std::future::ready(()).await;
        out.push(item);
    }
    assert_eq!(out, [1, 21, 7, 8]);
    // No temporary of a condition is held over a turn.
    while Rc::new(1).eq(&Rc::new(2)) {
        yield_now().await;
    }
    let mut boxes = vec![Box::new(1), Box::new(2)];
    for item in &mut boxes {
        **item += 1;
        yield_now().await;
    }
    assert_eq!(*boxes[0] + *boxes[1], 5);
}

/// A receive within an arm, in an `async` block, behind a method call, as a condition.
#[actor]
async fn everywhere() {
    let me = me();
    for n in 1..=4 {
        me.send(A(n));
        me.send(B(n));
    }
    me.send(B(5));
    me.send(B(6));
    let nested = #[receive]
    match receive().await {
        A(n) => {
            let m = #[receive]
            match receive().await {
                B(m) => m,
            };
            n + m
        }
    };
    assert_eq!(nested, 2);
    let in_block = async {
        #[receive]
        match receive().await {
            A(n) => n,
        }
    };
    assert_eq!(in_block.await, 2);
    let called = #[receive]
    match receive().await {
        B(n) => Some(n),
    }
    .unwrap();
    assert_eq!(called, 2);
    let mut conditions = Vec::new();
    while let Some(n) = #[receive]
    match receive().await {
        A(n) if n > 0 => Some(n),
        B(4) => None,
        B(n) => Some(n * 10),
    } {
        conditions.push(n);
    }
    assert_eq!(conditions, [3, 30, 4]);
    let Some(n) = (#[receive]
    match receive().await {
        B(n) => Some(n),
    }) else {
        return;
    };
    assert_eq!(n, 5);
    let in_closure = async || {
        #[receive]
        match receive().await {
            B(n) => n,
        }
    };
    assert_eq!(in_closure().await, 6);
}

/// What a body may do with what it is given, and with what is around.
#[actor]
async fn values() {
    let me = me();
    me.send(String::from("a"));
    me.send(vec![1u8]);
    let list: Vec<u8>;
    let text: String;
    #[receive]
    match receive().await {
        Typed::<String>(mut own) => {
            own.push('b');
            yield_now().await;
            text = own;
            #[receive]
            match receive().await {
                Typed::<Vec<u8>>(own) => list = own,
            }
        }
    }
    assert_eq!((text.as_str(), list), ("ab", vec![1]));
    // Nothing is inferred from the macro: an integer is what its use makes of it.
    me.send(A(1));
    let wide: u64 = #[receive]
    match receive().await {
        A(1) => 1 << 40,
        A(_) => 0,
    };
    assert_eq!(wide, 1 << 40);
    // Neither a `!Send` value between awaits, nor a guard's borrow, makes the actor `!Send`.
    let cell = std::cell::Cell::new(1);
    me.send(A(1));
    #[receive]
    match receive().await {
        A(n) if cell.get() == n && *Rc::new(n) == 1 => cell.set(n + 1),
        A(_) => {}
    }
    assert_eq!(cell.get(), 2);
    // A guard may have loops and functions of its own.
    me.send(A(3));
    #[receive]
    match receive().await {
        A(n) if (|| Some(n.checked_sub(4)? + 1))().is_some() => unreachable!(),
        A(n) if {
            let mut m = 0;
            loop {
                m += 1;
                if m > n {
                    break m == 4;
                }
            }
        } => {}
    }
}

fn main() {
    assert_eq!(uproar::run(control_flow()), ExitReason::Normal);
    assert_eq!(uproar::run(labelled_loops()), ExitReason::Normal);
    assert_eq!(uproar::run(loops()), ExitReason::Normal);
    assert_eq!(uproar::run(everywhere()), ExitReason::Normal);
    assert_eq!(uproar::run(values()), ExitReason::Normal);
}
