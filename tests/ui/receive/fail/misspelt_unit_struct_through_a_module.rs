use uproar::prelude::*;

mod m {
    pub struct Stop;
}

#[actor]
async fn counter() {
    #[receive]
    match receive().await {
        m::Stpo => {}
    }
}

#[uproar::main]
async fn main() {
    spawn(counter()).send(m::Stop);
}
