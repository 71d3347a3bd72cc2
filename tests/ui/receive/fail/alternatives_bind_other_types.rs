use uproar::prelude::*;

struct Add(u8);
struct Sub(String);

#[actor]
async fn types() {
    #[receive]
    match receive().await {
        Add(n) | Sub(n) => println!("{n}"),
    }
}

#[uproar::main]
async fn main() {
    spawn(types());
}
