//! The match has a value of whatever type its use needs; arms may initialize, wait, and hold what they are given.
#![deny(warnings)]
use uproar::prelude::*;

struct A(u8);

fn parsed<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

#[actor]
async fn values() {
    let me = self_address::<Anything>();
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
    for _ in 0..4 {
        me.send(A(1));
    }
    let wide: u64 = #[receive]
    match receive().await {
        A(1) => 1 << 40,
        A(_) => 0,
    };
    assert_eq!(wide, 1 << 40);
    let collected: Vec<u16> = #[receive]
    match receive().await {
        A(n) => std::iter::repeat_n(7, n.into()).collect(),
    };
    assert_eq!(collected, [7]);
    let from_use = #[receive]
    match receive().await {
        A(0) => None,
        A(_) => parsed("300"),
    };
    let _: Option<u16> = from_use;
    assert_eq!(from_use, Some(300));
    let boxed: Box<dyn Fn(u8) -> u8 + Send> = #[receive]
    match receive().await {
        A(0) => Box::new(|m| m),
        A(n) => Box::new(move |m| n + m),
    };
    assert_eq!(boxed(2), 3);
}

fn main() {
    assert_eq!(uproar::run(values()), ExitReason::Normal);
}
