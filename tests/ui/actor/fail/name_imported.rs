// The compiler has two errors for what any macro makes in such a case: see below.

use std::process::ChildStdin;
use std::time::Instant;

use uproar::prelude::*;

#[actor]
async fn instant() {}

macro_rules! plain {
    ($name:ident) => {
        struct $name;
        impl Clone for $name {
            fn clone(&self) -> Self {
                todo!()
            }
        }
    };
}

plain!(ChildStdin);

#[uproar::main]
async fn main() {
    let _: Option<(Instant, ChildStdin)> = None;
}
