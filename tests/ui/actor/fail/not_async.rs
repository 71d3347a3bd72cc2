use uproar::prelude::*;

struct Add(u8);

#[actor]
fn counter(total: u8) -> Result<(), String> {
    #[receive]
    match receive().await {
        Add(n) => drop(n + total),
    }
}

#[uproar::main]
async fn main() {
    let counter: Address<Counter> = spawn(counter(1));
    counter.send(Add(1));
}
