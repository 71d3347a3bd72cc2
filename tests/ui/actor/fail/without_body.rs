use uproar::prelude::*;

#[actor]
async fn counter();

#[uproar::main]
async fn main() {
    spawn(counter());
}
