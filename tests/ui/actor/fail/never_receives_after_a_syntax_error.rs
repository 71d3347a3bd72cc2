use uproar::prelude::*;

#[actor]
async fn counter() {
    let = 1;
}

#[actor]
async fn other() {}

#[uproar::main]
async fn main() {
    spawn(counter()).send(1);
    spawn(other()).send(1);
}
