use uproar::prelude::*;

struct Add(u8);

#[actor]
async fn tail() -> Result<(), String> {
    #[receive]
    match receive().await {
        Add(n) => println!("{n}"),
    }
}

#[uproar::main]
async fn main() {
    spawn(tail()).send(Add(1));
}
