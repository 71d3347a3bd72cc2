//! `impl Trait` in the output: of the error, or as a whole.
#![deny(warnings)]
use std::error::Error;
use std::fmt::Display;

use uproar::{Outcome, prelude::*};

#[actor]
async fn fails(n: u8) -> Result<(), impl Error + Send + Sync + 'static> {
    let parsed: u8 = format!("{n}x").parse()?;
    if parsed == 0 {
        Ok(())
    } else {
        "1".parse::<u8>().map(drop)
    }
}

#[actor]
async fn ends(reason: ExitReason) -> impl Outcome {
    yield_now().await;
    reason
}

#[receive]
async fn shown() -> impl Display {
    #[receive(timeout = Duration::ZERO)]
    match receive().await {
        Typed::<u8>(n) => n,
        Timeout => 7,
    }
}

fn main() {
    let end = uproar::run(fails(1)).to_string();
    assert_eq!(end, "error: invalid digit found in string");
    assert_eq!(
        uproar::run(ends(ExitReason::Shutdown)),
        ExitReason::Shutdown
    );
    let end = uproar::run(async { assert_eq!(shown().await.to_string(), "7") });
    assert_eq!(end, ExitReason::Normal);
}
