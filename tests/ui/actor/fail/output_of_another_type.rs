use uproar::prelude::*;

struct Add(u8);

#[actor]
async fn tail() -> Result<(), String> {
    #[receive]
    match receive().await {
        Add(n) => drop(n),
    }
}

#[actor]
async fn question() {
    let _: u8 = "1".parse()?;
}

#[actor]
async fn returned() -> Result<(), String> {
    return 7;
}

#[uproar::main]
async fn main() {
    spawn(tail());
    spawn(question());
    spawn(returned());
}
