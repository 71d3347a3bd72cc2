use uproar::prelude::*;

#[actor]
async fn quiet() {}

#[uproar::main]
async fn main() {
    spawn(quiet()).send(7u8);
}
