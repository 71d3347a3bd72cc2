use uproar::prelude::*;

struct Add(u8);

#[receive]
enum Wanted {
    Named { add: Add },
}

#[uproar::main]
async fn main() {
    let _: Wanted = receive().await;
}
