#![deny(warnings)]
use uproar::prelude::*;

struct Add(u8, u8);
struct Sub {
    n: u8,
    m: u8,
}

#[actor]
async fn counter(unused: u8) {
    #[receive]
    match receive().await {
        Add(n, m) => {}
        Sub { n, m } if n > 1 => {}
        Sub { n, .. } => println!("{n}"),
        other => {}
    }
}

#[uproar::main]
async fn main() {
    let counter = spawn(counter(1));
    counter.send(Add(1, 2));
    counter.send(Sub { n: 1, m: 2 });
}
