use uproar::prelude::*;

#[actor]
struct Other;

#[uproar::main]
async fn main() {
    drop(Other);
}
