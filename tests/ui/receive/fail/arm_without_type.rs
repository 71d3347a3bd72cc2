use uproar::prelude::*;

#[actor]
async fn counter() {
    #[receive]
    match receive().await {
        "ping" => {}
        7 => {}
        1..=9 => {}
        (a, b) => drop((a, b)),
        [first, ..] => drop(first),
        &n => drop(n),
        n @ 1 => drop(n),
        Typed(n) => drop(n),
    }
}

#[uproar::main]
async fn main() {
    spawn(counter()).send("ping");
}
