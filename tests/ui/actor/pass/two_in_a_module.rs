//! Two actors in one module that share messages, and one that receives nothing.
#![deny(warnings)]
use uproar::prelude::*;

struct Add(u8);
struct Get(ReplyTo<u8>);

#[actor]
async fn up(mut n: u8) {
    loop {
        #[receive]
        match receive().await {
            Add(m) => n += m,
            Get(reply_to) => reply_to.send(n),
        }
    }
}

#[actor]
async fn down(mut n: u8) {
    loop {
        #[receive]
        match receive().await {
            Add(m) => n -= m,
            Get(reply_to) => reply_to.send(n),
        }
    }
}

#[actor]
async fn quiet() {}

#[uproar::main]
async fn main() {
    let (up, down): (Address<Up>, Address<Down2>) = (spawn(up(5)), spawn(down2(5)));
    let _: Address<Quiet> = spawn(quiet());
    spawn(self::down(1));
    up.send(Add(2));
    down.send(Add(2));
    assert_eq!((up.ask(Get).await, down.ask(Get).await), (Ok(7), Ok(3)));
}

#[actor(name = Down2)]
async fn down2(n: u8) {
    let down = spawn(down(n));
    loop {
        #[receive]
        match receive().await {
            Add(m) => down.send(Add(m)),
            Get(reply_to) => down.send(Get(reply_to)),
        }
    }
}
