use uproar::prelude::*;

#[actor]
async fn __() {}

#[uproar::main]
async fn main() {
    spawn(__());
}
