use uproar::prelude::*;

struct Add(u8);

#[actor]
async fn counter() {
    #[receive]
    match receive().await {
        Add(n) => println!("{n}"),
    }
}

#[uproar::main]
async fn main() {
    let counter = spawn(counter());
    counter.send(7);
    counter.send(Add(1));
}
