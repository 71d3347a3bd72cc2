use uproar::prelude::*;

#[actor(receives = u8)]
async fn counter() {}

#[uproar::main]
async fn main() {
    spawn(counter());
}
