use uproar::prelude::*;

#[actor]
async fn counter() {
    #[receive]
    match receive().await {}
}

#[uproar::main]
async fn main() {
    spawn(counter());
}
