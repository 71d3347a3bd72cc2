//! `continue`, `?`, `break` with a value, `return` and a value of the match.
#![deny(warnings)]
use std::num::ParseIntError;

use uproar::prelude::*;

struct A(u8);
struct B(u8);
struct Text(&'static str);

#[receive]
async fn sum() -> Result<u32, ParseIntError> {
    let mut sum = 0;
    loop {
        sum += #[receive(timeout = Duration::ZERO)]
        match receive().await {
            A(0) => continue,
            A(n) => u32::from(n),
            Text(text) => text.parse::<u32>()?,
            B(_) => return Ok(0),
            Timeout => break Ok(sum),
        };
    }
}

#[actor]
async fn control_flow() -> Result<(), ParseIntError> {
    let me = self_address::<Anything>();
    me.send(A(0));
    me.send(A(2));
    me.send(Text("40"));
    assert_eq!(sum().await?, 42);
    me.send(Text("many"));
    me.send(A(1));
    assert!(sum().await.is_err());
    me.send(B(1));
    assert_eq!(sum().await?, 0);
    #[receive(timeout = Duration::ZERO)]
    match receive().await {
        A(_) => unreachable!(),
        Timeout => Ok(()),
    }
}

fn main() {
    assert_eq!(uproar::run(control_flow()), ExitReason::Normal);
}
