use uproar::prelude::*;

#[receive]
async fn next() -> u8;

#[uproar::main]
async fn main() {
    println!("{}", next().await);
}
