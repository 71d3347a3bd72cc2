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
pub struct Deposit(pub u64);
/// A message.
#[derive(Debug, Clone, Copy)]
pub struct Balance;
/// A message.
#[derive(Debug, Clone, Copy)]
pub struct Wait(pub u64);

/// An actor.
#[derive(Debug)]
pub struct Account {
    balance: u64,
    /// Who it belongs to.
    pub owner: String,
}

#[actor]
impl Account {
    #[receive]
    async fn deposit(&mut self, Deposit(n): Deposit) {
        self.balance += n;
    }

    /// A handler that can be called as a method too.
    #[receive]
    pub fn balance(&mut self, _: Balance) -> u64 {
        self.balance
    }

    #[receive]
    async fn wait(&mut self, Wait(n): Wait) -> Result<u64, String> {
        for _ in 0..n {
            #[receive]
            match receive().await {
                Typed::<u8>(more) => self.balance += u64::from(more),
            }
        }
        Ok(self.balance)
    }

    #[receive]
    async fn other(&mut self, _other: Envelope) {}

    async fn on_start(&mut self) -> Result<(), String> {
        self.balance += 1;
        Ok(())
    }

    async fn on_stop(&mut self, _: &ExitReason) {
        self.balance = 0;
    }
}

/// An actor of which there is little.
#[derive(Debug, Clone, Copy)]
pub struct Little;

#[actor]
impl Little {
    #[receive]
    fn nothing(&mut self, (): ()) {}
}

#[uproar::main]
async fn main() -> Result<(), AskError> {
    let account = spawn(Account {
        balance: 0,
        owner: String::new(),
    });
    account.send(Deposit(1));
    account.send(1u8);
    assert_eq!(account.call(Wait(1)).await?, Ok(3));
    assert_eq!(account.call(Balance).await?, 3);
    spawn(Little).call(()).await
}
