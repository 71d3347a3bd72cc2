use uproar::prelude::*;

#[receive]
enum Empty {}

#[uproar::main]
async fn main() {
    let _: Empty = receive().await;
}
