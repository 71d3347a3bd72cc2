use uproar::prelude::*;

struct Add(u8);

#[actor]
async fn counter() {
    #[receive]
    match receive::<Add>().await {
        Add(_) => {}
    }
}

#[uproar::main]
async fn main() {
    spawn(counter()).send(Add(1));
}
