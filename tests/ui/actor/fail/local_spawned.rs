use uproar::prelude::*;

use std::rc::Rc;

#[actor(local)]
async fn counter(n: Rc<u8>) {
    yield_now().await;
    drop(n);
}

#[uproar::main]
async fn main() {
    spawn(counter(Rc::new(1)));
}
