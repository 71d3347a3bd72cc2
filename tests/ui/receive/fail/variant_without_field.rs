use uproar::prelude::*;

#[receive]
enum Wanted {
    Unit,
}

#[uproar::main]
async fn main() {
    let _: Wanted = receive().await;
}
