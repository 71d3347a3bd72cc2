use uproar::prelude::*;

#[actor]
#[actor]
async fn quiet() {}

#[uproar::main]
async fn main() {
    let _: Address<Quiet> = spawn(quiet());
}
