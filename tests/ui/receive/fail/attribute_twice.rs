use uproar::prelude::*;

#[receive]
#[receive]
struct Add(u64);

#[receive]
#[receive]
enum Wanted {
    Add(Add),
}

#[uproar::main]
async fn main() {
    let Add(n) = receive().await;
    let Wanted::Add(Add(m)) = receive().await;
    println!("{}", n + m);
}
