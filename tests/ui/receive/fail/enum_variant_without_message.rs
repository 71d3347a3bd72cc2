use uproar::prelude::*;

struct Add(u8);
struct Sub(u8);

#[receive]
enum Wanted {
    Add(Add),
    Two(Add, Sub),
    Named { add: Add },
    Unit,
}

#[receive]
enum Empty {}

#[receive]
enum Shadowed {
    Add(Add),
    Again(Add),
    Any(Envelope),
    Late(Sub),
}

#[uproar::main]
async fn main() {
    let _: Wanted = receive().await;
    let _: Empty = receive().await;
    let _: Shadowed = receive().await;
}
