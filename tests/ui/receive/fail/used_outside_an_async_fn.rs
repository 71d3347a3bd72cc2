use uproar::prelude::*;

#[receive]
struct Add(u8);

fn main() {
    let Add(n) = receive().await;
    drop(n);
}
