#![deny(warnings)]
use uproar::prelude::*;

struct Add(u8);
struct Stop;

#[actor]
async fn counter() {
    #[receive]
    match receive().await {
        Add(n) => println!("{n}"),
        Stop => {}
        Add(0) => {}
    }
}

#[uproar::main]
async fn main() {
    spawn(counter()).send(Stop);
    spawn(counter()).send(Add(1));
}
