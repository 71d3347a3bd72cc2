//! A literal is inferred from the protocol's messages, whether it has one or several.
#![deny(warnings)]
use uproar::prelude::*;

struct Get(ReplyTo<u64>);

#[actor]
async fn one(done: Recipient<u16>) {
    #[receive]
    match receive().await {
        Typed::<u16>(n) => done.send(n),
    }
}

#[actor]
async fn two(mut sum: u64) {
    loop {
        #[receive]
        match receive().await {
            Typed::<u64>(n) => sum += n,
            Get(reply_to) => reply_to.send(sum),
        }
    }
}

#[uproar::main]
async fn main() {
    spawn(one(self_address::<Anything>().recipient())).send(7);
    assert_eq!(receive::<Typed<u16>>().await, Typed(7));
    let two = spawn(two(0));
    two.send(1 << 40);
    assert_eq!(two.ask(Get).await, Ok(1 << 40));
}
