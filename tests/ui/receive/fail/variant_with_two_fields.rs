use uproar::prelude::*;

struct Add(u8);
struct Sub(u8);

#[receive]
enum Wanted {
    Add(Add),
    Two(Add, Sub),
}

#[uproar::main]
async fn main() {
    let _: Wanted = receive().await;
}
