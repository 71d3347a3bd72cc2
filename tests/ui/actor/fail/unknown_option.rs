use uproar::prelude::*;

#[actor(nmae = Foo)]
async fn counter() {}

#[uproar::main]
async fn main() {
    spawn(counter());
}
