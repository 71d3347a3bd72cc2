use uproar::prelude::*;

#[actor]
async fn question() {
    let _: u8 = "1".parse()?;
}

#[uproar::main]
async fn main() {
    spawn(question());
}
