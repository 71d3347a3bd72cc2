use uproar::prelude::*;

struct Add(u8);

#[receive]
enum Shadowed {
    Add(Add),
    Again(Add),
}

#[uproar::main]
async fn main() {
    let _: Shadowed = receive().await;
}
