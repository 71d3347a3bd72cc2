use uproar::prelude::*;

#[receive]
struct Bar;

#[actor(receives(u8), protocol = Bar)]
async fn counter() {}

#[uproar::main]
async fn main() {
    spawn(counter());
}
