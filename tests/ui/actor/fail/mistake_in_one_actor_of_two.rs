use uproar::prelude::*;

struct Add(u8);

#[actor]
async fn broken(n: &str) -> Result<(), String> {
    #[receive]
    match receive().await {
        Add(m) => drop((n, m)),
    }
}

#[actor]
async fn sound() {
    let broken: Address<Broken> = spawn(broken("x"));
    broken.send(Add(1));
    broken.send("what it may have been meant to receive");
}

#[uproar::main]
async fn main() {
    spawn(sound());
}
