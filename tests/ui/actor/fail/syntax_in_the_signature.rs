use uproar::prelude::*;

struct Add(u64);

#[actor]
async fn counter(total) {
    #[receive]
    match receive().await {
        Add(n) => println!("{}", total + n),
    }
}

#[uproar::main]
async fn main() {
    let counter: Address<Counter> = spawn(counter(0));
    counter.send(Add(1));
}
