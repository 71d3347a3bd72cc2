//! `receives(..)` adds what helper functions receive; naming a message twice does no harm.
#![deny(warnings)]
use uproar::prelude::*;

struct Tick;
struct Msg<T>(T);
struct Pair {
    a: u8,
    b: u8,
}

#[actor(receives(Pair, Msg<u8>, Tick, self::Tick))]
async fn with_helper(done: Recipient<u8>) {
    #[receive]
    match receive().await {
        Tick => done.send(helper().await),
    }
}

#[receive]
async fn helper() -> u8 {
    let n = #[receive]
    match receive().await {
        Pair { a, b } => a + b,
    };
    #[receive]
    match receive().await {
        Typed::<Msg<u8>>(Msg(m)) => n + m,
    }
}

#[uproar::main]
async fn main() {
    let with_helper = spawn(with_helper(self_address::<Anything>().recipient()));
    with_helper.send(Msg(1u8));
    with_helper.send(Pair { a: 2, b: 3 });
    with_helper.send(Tick);
    assert_eq!(receive::<Typed<u8>>().await, Typed(6));
}
