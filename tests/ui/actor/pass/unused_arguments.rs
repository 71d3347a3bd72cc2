//! As in any `async fn`, what is not used lives as long as the body.
#![deny(warnings)]
use std::rc::{Rc, Weak};

use uproar::prelude::*;

#[actor(local)]
async fn keeps(#[allow(unused_variables)] n: Rc<u8>, _m: Rc<u8>, _: Rc<u8>, weak: Weak<u8>) {
    yield_now().await;
    assert_eq!(weak.strong_count(), 4);
}

fn main() {
    let n = Rc::new(1);
    let end = uproar::run(keeps(n.clone(), n.clone(), n.clone(), Rc::downgrade(&n)));
    assert_eq!(end, ExitReason::Normal);
    assert_eq!(Rc::strong_count(&n), 1);
}
