use uproar::prelude::*;

struct Sub {
    n: u8,
}

#[actor]
async fn counter() {
    #[receive]
    match receive().await {
        Subb { n } => println!("{n}"),
    }
}

#[uproar::main]
async fn main() {
    spawn(counter()).send(Sub { n: 1 });
}
