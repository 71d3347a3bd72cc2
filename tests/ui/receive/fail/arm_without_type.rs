use uproar::prelude::*;

#[actor]
async fn counter() {
    #[receive]
    match receive().await {
        "ping" => {}
        7 => {}
        1..=9 => {}
        (a, b) => println!("{a}{b}"),
        [first, ..] => drop(first),
        &n => println!("{n}"),
        n @ 1 => println!("{n}"),
        Typed(n) => println!("{n}"),
    }
}

#[uproar::main]
async fn main() {
    spawn(counter()).send("ping");
}
