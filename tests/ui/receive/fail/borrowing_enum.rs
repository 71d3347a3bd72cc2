use uproar::prelude::*;

#[receive]
enum Wanted {
    Text(Typed<&str>),
    Number(Typed<u64>),
}

#[uproar::main]
async fn main() {
    match receive().await {
        Wanted::Text(Typed(text)) => println!("{text}"),
        Wanted::Number(Typed(n)) => println!("{n}"),
    }
}
