use uproar::prelude::*;

struct Add(u8);

#[actor(protocol = Add2)]
async fn counter() {}

#[receive]
enum Add2 {
    Add(Add),
    Text(Typed<String>),
}

#[uproar::main]
async fn main() {
    let counter: Recipient<u8> = spawn(counter()).recipient();
    counter.send(1);
}
