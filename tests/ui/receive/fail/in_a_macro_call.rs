use uproar::prelude::*;

struct Add(u8);

#[actor]
async fn counter() {
    println!(
        "{}",
        #[receive]
        match receive().await {
            Add(n) => n,
        }
    );
}

#[uproar::main]
async fn main() {
    spawn(counter()).send(Add(1));
}
