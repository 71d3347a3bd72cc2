//! `Result<(), E>` with whatever turns into a boxed error, `?` and `return` included.
#![deny(warnings)]
use std::error::Error;
use std::num::ParseIntError;

use uproar::prelude::*;

type Parsed = Result<(), ParseIntError>;

#[actor]
async fn question(text: &'static str) -> Result<(), ParseIntError> {
    let n: u8 = text.parse()?;
    if n == 1 {
        return Ok(());
    }
    "none".parse::<u8>().map(drop)
}

#[actor]
async fn alias() -> Parsed {
    let inner = async { "x".parse::<u8>() }.await?;
    assert_eq!(inner, 0);
    Ok(())
}

#[actor]
async fn text(fails: bool) -> Result<(), &'static str> {
    if fails { Err("as told") } else { Ok(()) }
}

#[actor]
async fn boxed() -> Result<(), Box<dyn Error + Send + Sync>> {
    Err("boxed")?
}

#[actor]
async fn reason(reason: ExitReason) -> ExitReason {
    yield_now().await;
    reason
}

fn main() {
    use ExitReason::{Normal, Shutdown};
    use uproar::run;

    let invalid = "error: invalid digit found in string";
    assert_eq!(run(question("1")), Normal);
    assert_eq!(run(question("2")).to_string(), invalid);
    assert_eq!(run(question("x")).to_string(), invalid);
    assert_eq!(run(alias()).to_string(), invalid);
    assert_eq!(run(text(false)), Normal);
    assert_eq!(run(text(true)).to_string(), "error: as told");
    assert_eq!(run(boxed()).to_string(), "error: boxed");
    assert_eq!(run(reason(Shutdown)), Shutdown);
}
