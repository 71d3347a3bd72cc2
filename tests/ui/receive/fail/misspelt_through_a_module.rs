use uproar::prelude::*;

mod m {
    pub struct Add(pub u8);
}

#[actor]
async fn counter() {
    #[receive]
    match receive().await {
        m::Ad(n) => println!("{n}"),
    }
}

#[uproar::main]
async fn main() {
    spawn(counter()).send(m::Add(1));
}
