use uproar::prelude::*;

struct Text(String);

#[actor]
async fn counter() {
    #[receive]
    match receive().await {
        Text(text) if std::convert::identity(text) == "x" => {}
        Text(text) => drop(text),
    }
}

#[uproar::main]
async fn main() {
    spawn(counter());
}
