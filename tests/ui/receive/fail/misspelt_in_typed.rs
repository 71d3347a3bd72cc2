use uproar::prelude::*;

#[actor]
async fn counter() {
    #[receive]
    match receive().await {
        Typed::<Strng>(text) => drop(text),
    }
}

#[uproar::main]
async fn main() {
    spawn(counter()).send(String::new());
}
