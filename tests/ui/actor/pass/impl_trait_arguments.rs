//! `impl Trait` arguments, also such as are no `'static` borrows but borrow from their callers.
#![deny(warnings)]
use std::fmt::Display;

use uproar::prelude::*;

#[actor]
async fn calls(
    mut f: impl FnMut(&str) -> u8 + Send + 'static,
    g: fn(&str) -> &str,
    h: impl for<'a> Fn(&'a str) -> &'a str + Send + 'static,
    shown: impl Display + Send + 'static,
) {
    yield_now().await;
    assert_eq!(f(g(h("xxx"))), 1);
    assert_eq!(shown.to_string(), "7");
}

fn main() {
    let end = uproar::run(calls(
        |text| text.len() as u8,
        |text| &text[1..],
        |text| &text[1..],
        7,
    ));
    assert_eq!(end, ExitReason::Normal);
}
