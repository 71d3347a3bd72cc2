use std::rc::Rc;

use uproar::prelude::*;

struct Shared(Rc<u8>);

#[actor]
async fn counter() {
    #[receive]
    match receive().await {
        Shared(n) => drop(n),
    }
}

#[uproar::main]
async fn main() {
    spawn(counter());
}
