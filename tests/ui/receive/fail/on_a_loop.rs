use uproar::prelude::*;

#[actor]
async fn counter() {
    #[receive]
    loop {
        yield_now().await;
    }
}

#[uproar::main]
async fn main() {
    spawn(counter());
}
