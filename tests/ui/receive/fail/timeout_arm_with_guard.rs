use uproar::prelude::*;

struct Add(u8);

#[actor]
async fn counter() {
    #[receive(timeout = Duration::ZERO)]
    match receive().await {
        Add(_) => {}
        Timeout if true => {}
    }
}

#[uproar::main]
async fn main() {
    spawn(counter()).send(Add(1));
}
