use uproar::prelude::*;

struct Add(u8);

#[actor]
async fn counter() {
    #[receive]
    let n = match receive().await {
        Add(n) => n,
    };
    drop(n);
}

#[uproar::main]
async fn main() {
    spawn(counter()).send(Add(1));
}
