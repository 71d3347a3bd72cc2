use uproar::prelude::*;

#[receive]
struct Bar;

#[actor(name = Foo, protocol = Bar)]
async fn counter() {}

#[uproar::main]
async fn main() {
    spawn(counter());
}
