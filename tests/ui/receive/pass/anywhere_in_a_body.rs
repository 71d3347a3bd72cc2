//! A receive within an arm, in an `async` block or closure, behind a method call, as a condition.
#![deny(warnings)]
use uproar::prelude::*;

struct A(u8);
struct B(u8);

#[actor]
async fn everywhere() {
    let me = self_address::<Everywhere>();
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

fn main() {
    assert_eq!(uproar::run(everywhere()), ExitReason::Normal);
}
