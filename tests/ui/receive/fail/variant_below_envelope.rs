use uproar::prelude::*;

struct Sub(u8);

#[receive]
enum Shadowed {
    Any(Envelope),
    Late(Sub),
}

#[uproar::main]
async fn main() {
    let _: Shadowed = receive().await;
}
