// The compiler has two errors for the same in a plain pattern: see below.

use uproar::prelude::*;

struct Move {
    x: u8,
    y: u8,
    z: u8,
}

#[actor]
async fn robot() {
    #[receive]
    match receive().await {
        Move { xx } => println!("{xx}"),
    }
}

fn plain(message: Move) {
    let Move { xx } = message;
    println!("{xx}");
}

#[uproar::main]
async fn main() {
    spawn(robot()).send(Move { x: 1, y: 2, z: 3 });
    plain(Move { x: 1, y: 2, z: 3 });
}
