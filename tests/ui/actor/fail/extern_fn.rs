use uproar::prelude::*;

#[actor]
async extern "C" fn counter() {}

#[uproar::main]
async fn main() {
    spawn(counter());
}
