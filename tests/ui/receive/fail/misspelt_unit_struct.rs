use uproar::prelude::*;

struct Stop;

#[actor]
async fn counter() {
    #[receive]
    match receive().await {
        Stpo => {}
    }
}

#[uproar::main]
async fn main() {
    spawn(counter()).send(Stop);
}
