use uproar::prelude::*;

mod m {
    pub struct Pair(pub u8, pub u8);
}

#[actor]
async fn counter() {
    #[receive]
    match receive().await {
        m::Piar(.., last) => println!("{last}"),
    }
}

#[uproar::main]
async fn main() {
    spawn(counter()).send(m::Pair(1, 2));
}
