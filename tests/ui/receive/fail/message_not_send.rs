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

#[actor]
async fn generic<T>() {
    #[receive]
    match receive().await {
        Typed::<T>(value) => drop(value),
    }
}

fn main() {
    uproar::run(counter());
    uproar::run(generic::<u8>());
}
