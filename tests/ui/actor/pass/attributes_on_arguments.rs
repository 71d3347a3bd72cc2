//! `#[cfg]` and lint attributes on arguments, and doc comments and others on the function.
#![deny(warnings, missing_docs)]
use uproar::prelude::*;

/// Counts.
///
/// The protocol has docs of its own.
#[actor]
#[cfg(not(any()))]
#[must_use]
pub async fn counter(
    #[cfg(any())] missing: Missing,
    #[cfg(not(any()))] mut total: u8,
    #[allow(unused_variables)] unused: u8,
    #[cfg(any())] (also, missing): Missing,
) {
    #![allow(unused_assignments)]
    total += 1;
    assert_eq!(total, 2);
    total = 0;
}

/// Is not there at all, with its protocol.
#[actor]
#[cfg(any())]
pub async fn absent() {
    #[receive]
    match receive().await {
        Missing(_) => {}
    }
}

struct Absent;

fn main() {
    let Absent = Absent;
    assert_eq!(uproar::run(counter(1, 0)), ExitReason::Normal);
}
