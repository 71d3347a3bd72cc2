use uproar::prelude::*;

struct Add(u8);

#[receive]
async fn helper() -> u8 {
    #[receive]
    match receive().await {
        Ad(n) => n,
    }
}

#[uproar::main]
async fn main() {
    drop(Add(1));
    helper().await;
}
