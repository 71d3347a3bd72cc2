//! The library under another name, through a crate that re-exports it.
#![deny(warnings)]

mod facade {
    pub mod inner {
        pub use uproar::*;
    }
}

use facade::inner::prelude::{receive, spawn};

struct Double(u64);
struct Doubler;

#[facade::inner::actor(crate = crate::facade::inner)]
impl Doubler {
    #[receive]
    async fn double(&mut self, Double(n): Double) -> Result<u64, String> {
        for _ in 0..1 {
            #[receive]
            match receive().await {
                facade::inner::Typed::<u64>(more) => return Ok(2 * n + more),
            }
        }
        Err("no turn".into())
    }
}

#[facade::inner::main(crate = crate::facade::inner)]
async fn main() {
    let doubler = spawn(Doubler);
    doubler.send(1u64);
    assert_eq!(doubler.call(Double(2)).await, Ok(Ok(5)));
}
