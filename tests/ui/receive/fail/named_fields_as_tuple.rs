use uproar::prelude::*;

struct Move {
    x: u8,
    y: u8,
}

#[actor]
async fn robot() {
    #[receive]
    match receive().await {
        Move(x, y) => println!("{x}{y}"),
    }
}

#[uproar::main]
async fn main() {
    spawn(robot()).send(Move { x: 1, y: 2 });
}
