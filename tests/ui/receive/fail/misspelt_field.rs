use uproar::prelude::*;

struct Sub {
    n: u8,
}

#[actor]
async fn counter() {
    #[receive]
    match receive().await {
        Sub { m } => println!("{m}"),
    }
}

#[uproar::main]
async fn main() {
    spawn(counter()).send(Sub { n: 1 });
}
