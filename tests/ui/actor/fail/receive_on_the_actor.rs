use uproar::prelude::*;

struct Add(u64);

#[actor]
#[receive]
async fn below(mut total: u64) {
    #[receive]
    match receive().await {
        Add(n) => total += n,
    }
    println!("{total}");
}

#[receive]
#[actor]
async fn above(mut total: u64) {
    #[receive]
    match receive().await {
        Add(n) => total += n,
    }
    println!("{total}");
}

#[uproar::main]
async fn main() {
    spawn(below(0)).send(Add(1));
    spawn(above(0)).send(Add(1));
}
