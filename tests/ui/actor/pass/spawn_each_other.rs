//! Two actors that spawn each other, and know each other's addresses.
#![deny(warnings)]
use uproar::prelude::*;

struct Done;
struct Parent(Address<Ping>);

#[actor]
async fn ping(n: u32, done: Recipient<Done>) {
    let pong: Address<Pong> = spawn(pong(n, done));
    pong.send(Parent(self_address::<Ping>()));
    #[receive]
    match receive().await {
        Done => {}
    }
}

#[actor]
async fn pong(n: u32, done: Recipient<Done>) {
    #[receive]
    match receive().await {
        Parent(parent) => parent.send(Done),
    }
    if n > 0 {
        let _: Address<Ping> = spawn(ping(n - 1, done));
    } else {
        done.send(Done);
    }
}

#[uproar::main]
async fn main() {
    spawn(ping(20, self_address::<Anything>().recipient()));
    let Typed(Done) = receive().await;
}
