use uproar::prelude::*;

struct Add(u8);
struct Stop;

#[actor]
async fn counter() {
    #[receive]
    match receive().await {
        Add(n) => println!("{n}"),
        other => drop(other),
        Stop => {}
        _ => {}
    }
}

#[uproar::main]
async fn main() {
    spawn(counter()).send(Stop);
}
