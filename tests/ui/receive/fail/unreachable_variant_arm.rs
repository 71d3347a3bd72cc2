#![deny(unreachable_patterns)]
use uproar::prelude::*;

enum Command {
    Go(bool),
    Stop,
}
struct Add(u8);

#[actor]
async fn counter() {
    #[receive]
    match receive().await {
        Command::Go(true) => {}
        Add(0..=9) => {}
        Command::Go(false) | Command::Stop => {}
        Add(3) => {}
        Command::Go(_) => {}
        Add(_) => {}
    }
}

#[uproar::main]
async fn main() {
    let counter = spawn(counter());
    counter.send(Add(1));
    counter.send(Command::Go(true));
    counter.send(Command::Stop);
}
