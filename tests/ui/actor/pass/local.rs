//! The future of a local actor need not be `Send`, nor its output: the main actor of `run`.
#![deny(warnings)]
use std::cell::Cell;
use std::rc::Rc;

use uproar::prelude::*;

struct Tick;

#[actor(local)]
async fn local(n: Rc<Cell<u8>>) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    self_address::<Local>().send(Tick);
    let held = Rc::clone(&n);
    #[receive]
    match receive().await {
        Tick if n.get() == 1 => held.set(2),
        Tick => unreachable!(),
    }
    Ok(())
}

fn main() {
    let n = Rc::new(Cell::new(1));
    assert_eq!(uproar::run(local(n.clone())), ExitReason::Normal);
    assert_eq!(n.get(), 2);
}
