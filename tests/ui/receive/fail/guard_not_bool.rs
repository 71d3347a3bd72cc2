use uproar::prelude::*;

struct Add(u8);

#[actor]
async fn counter() {
    #[receive]
    match receive().await {
        Add(n) if n => println!("{n}"),
    }
}

#[uproar::main]
async fn main() {
    spawn(counter());
}
