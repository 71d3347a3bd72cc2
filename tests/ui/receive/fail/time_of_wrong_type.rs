use uproar::prelude::*;

struct Add(u8);

#[actor]
async fn counter() {
    #[receive(timeout = 5)]
    match receive().await {
        Add(_) => {}
        Timeout => {}
    }
}

#[uproar::main]
async fn main() {
    spawn(counter()).send(Add(1));
}
