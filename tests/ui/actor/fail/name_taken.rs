use uproar::prelude::*;

struct Counter(u8);

#[actor]
async fn counter() {
    #[receive]
    match receive().await {
        Counter(n) => println!("{n}"),
    }
}

#[uproar::main]
async fn main() {
    spawn(counter());
}
