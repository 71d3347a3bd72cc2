use uproar::prelude::*;

#[actor(name = A, name = B)]
async fn counter() {}

#[uproar::main]
async fn main() {
    spawn(counter());
}
