use uproar::prelude::*;

#[receive]
struct Text<'a>(&'a str);

#[uproar::main]
async fn main() {
    let Text(text) = receive().await;
    println!("{text}");
}
