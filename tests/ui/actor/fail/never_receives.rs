use uproar::prelude::*;

struct Add(u8);
struct Get(ReplyTo<u8>);

#[actor]
async fn counter() {
    #[receive]
    match receive().await {
        Add(n) => println!("{n}"),
        Get(reply_to) => reply_to.send(0),
    }
}

#[uproar::main]
async fn main() {
    let counter = spawn(counter());
    counter.send("text");
}
