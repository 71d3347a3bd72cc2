use uproar::prelude::*;

#[actor]
async unsafe fn counter() {}

#[uproar::main]
async fn main() {
    spawn(counter());
}
