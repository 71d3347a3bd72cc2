//! An actor in another function's body, also in that of an actor.
#![deny(warnings)]
use uproar::prelude::*;

struct Tick;

#[actor]
async fn outer() {
    #[actor]
    async fn inner(outer: Address<Outer>) {
        #[receive]
        match receive().await {
            Tick => outer.send(Tick),
        }
    }
    let inner: Address<Inner> = spawn(inner(self_address::<Outer>()));
    inner.send(Tick);
    #[receive]
    match receive().await {
        Tick => {}
    }
}

fn main() {
    struct Own(u8);

    #[actor]
    async fn in_main() {
        self_address::<InMain>().send(Own(1));
        #[receive]
        match receive().await {
            Own(n) => assert_eq!(n, 1),
        }
    }
    assert_eq!(uproar::run(outer()), ExitReason::Normal);
    assert_eq!(uproar::run(in_main()), ExitReason::Normal);
}
