use uproar::prelude::*;

struct Add(u8);

#[receive]
enum Wanted {
    Add(Ad),
    Text(Typed<Strng>),
}

#[uproar::main]
async fn main() {
    drop(Add(1));
    let _: Wanted = receive().await;
}
