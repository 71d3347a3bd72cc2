use uproar::prelude::*;

#[actor]
const async fn counter() {}

#[uproar::main]
async fn main() {
    spawn(counter());
}
