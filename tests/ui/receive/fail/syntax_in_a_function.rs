use uproar::prelude::*;

struct Add(u64);

#[receive]
async fn next() -> u64 {
    #[receive]
    match receive().await {
        Add(n) { n }
    }
}

#[uproar::main]
async fn main() {
    let n: u64 = next().await;
    println!("{n}");
}
