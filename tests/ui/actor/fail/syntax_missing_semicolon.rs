use uproar::prelude::*;

struct Add(u64);

#[actor]
async fn counter() {
    let total = 1
    #[receive]
    match receive().await {
        Add(n) => println!("{}", total + n),
    }
}

#[uproar::main]
async fn main() {
    let counter: Address<Counter> = spawn(counter());
    counter.send(Add(1));
}
