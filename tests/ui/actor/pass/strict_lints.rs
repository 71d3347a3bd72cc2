//! Nothing that is generated is reported by the strictest lints.
#![deny(warnings, clippy::pedantic, clippy::nursery)]
#![deny(
    missing_docs,
    missing_debug_implementations,
    missing_copy_implementations,
    unreachable_pub,
    unused_qualifications,
    single_use_lifetimes,
    unused_lifetimes,
    let_underscore_drop,
    unit_bindings,
    trivial_casts,
    unused_results,
    unused_import_braces,
    explicit_outlives_requirements,
    macro_use_extern_crate,
    meta_variable_misuse
)]
#![allow(clippy::redundant_pub_crate)]
#![forbid(unsafe_code)]
use uproar::prelude::*;

/// A message.
#[derive(Debug, Clone, Copy)]
pub struct Add(pub u64);
/// A message.
#[derive(Debug, Clone, Copy)]
pub struct Stop;
/// A message.
#[derive(Debug)]
pub struct Reply {
    id: u64,
    body: String,
}

/// An actor.
#[actor]
pub async fn counter(mut total: u64, wanted: u64, (a, b): (u8, u8), _: Stop) -> Result<(), String> {
    let mut turns = 0;
    while turns < 10 {
        #[receive(timeout = Duration::from_secs(1))]
        match receive().await {
            Add(0) => return Err("nothing".into()),
            Add(n) => total += n,
            Reply { id, body } if id == wanted => println!("{body}"),
            Stop => break,
            other if other.is::<u8>() => {}
            Timeout => turns += total,
        }
    }
    for n in 0..turns {
        let x = #[receive]
        match receive().await {
            Add(m) => n + m,
            Stop => return Ok(()),
        };
        println!("{x}{a}{b}");
    }
    'a: loop {
        #[receive]
        match receive().await {
            Stop => break 'a,
            _ => {}
        }
    }
    Ok(())
}

/// An actor.
#[actor]
pub async fn quiet() {}

/// An actor.
#[actor]
pub async fn endless() -> ! {
    loop {
        #[receive]
        match receive().await {
            Add(n) => println!("{n}"),
        }
    }
}

/// A protocol.
#[receive]
#[derive(Debug)]
pub enum Wanted {
    /// A message.
    Add(Add),
    /// A message.
    Reply(Reply),
}

/// A helper.
///
/// # Errors
///
/// If it is no number.
#[receive]
pub async fn helper(text: &str) -> Result<u64, std::num::ParseIntError> {
    let n: u64 = text.parse()?;
    #[receive]
    match receive().await {
        Add(m) => Ok(m + n),
    }
}

#[uproar::main]
async fn main() -> Result<(), String> {
    let quiet = spawn(quiet());
    drop(quiet);
    let endless = spawn(endless());
    endless.send(Add(1));
    let counter = spawn(counter(0, 1, (1, 2), Stop));
    counter.send(Reply {
        id: 1,
        body: "text".into(),
    });
    counter.send(Stop);
    let me = self_address::<Wanted>();
    me.send(Add(1));
    let n = helper("1").await.map_err(|error| error.to_string())?;
    assert_eq!(n, 2);
    Ok(())
}
