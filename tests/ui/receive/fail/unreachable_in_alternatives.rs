#![deny(unreachable_patterns)]
use uproar::prelude::*;

struct Left(u8);
struct Right(u8);

#[actor]
async fn counter() {
    #[receive]
    match receive().await {
        Left(n) | Right(n @ 1..) => println!("{n}"),
        Right(0) | Left(_) => {}
    }
}

#[uproar::main]
async fn main() {
    let counter = spawn(counter());
    counter.send(Left(1));
    counter.send(Right(1));
}
