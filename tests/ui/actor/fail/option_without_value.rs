use uproar::prelude::*;

#[actor(name)]
async fn counter() {}

#[uproar::main]
async fn main() {
    spawn(counter());
}
