use uproar::prelude::*;

#[actor]
async fn answer() -> u8 {
    42
}

#[uproar::main]
async fn main() {
    spawn(answer());
}
