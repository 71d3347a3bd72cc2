use uproar::prelude::*;

struct Add(u8);

#[uproar::main]
async fn main() {
    let Add(n) = receive().await;
    println!("{n}");
}
