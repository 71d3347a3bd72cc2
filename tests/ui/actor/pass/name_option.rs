//! `name = ..` names the protocol, where a type of the function's name is there already.
#![deny(warnings)]
use uproar::prelude::*;

struct Counter(u8);

#[actor(name = CounterActor)]
async fn counter(_: Counter) {
    #[receive]
    match receive().await {
        Counter(n) => assert_eq!(n, 2),
    }
}

/// No type can be called `2d`.
#[actor(name = TwoDimensional)]
async fn _2d() {}

#[uproar::main]
async fn main() {
    let counter: Address<CounterActor> = spawn(counter(Counter(1)));
    counter.send(Counter(2));
    let _: Address<TwoDimensional> = spawn(_2d());
}
