//! 10. Structs: an actor of handlers, for one that answers calls and keeps its state.
//!
//! An async fn is the better actor where what comes next depends on what has been. Where
//! every message may come at any time, and most want an answer, a struct says it shorter:
//! its fields are the state, each `#[receive]` method is a handler, and what the handler
//! returns is the reply to a `call`.

use std::collections::BTreeMap;

use uproar::{Runtime, prelude::*};

struct Deposit(u64);
struct Withdraw(u64);
struct Balance;

#[derive(Debug, PartialEq)]
struct Overdrawn {
    missing: u64,
}

/// Asks the account's owner, who answers with a message of his own.
struct Confirm {
    what: String,
    answer_to: Recipient<Answer>,
}

struct Answer(bool);

/// Withdraws if the owner agrees.
struct WithdrawIfConfirmed {
    amount: u64,
    owner: Recipient<Confirm>,
}

#[derive(Default)]
struct Account {
    balance: u64,
    history: BTreeMap<usize, i128>,
}

#[actor]
impl Account {
    /// Before the first message.
    async fn on_start(&mut self) {
        self.note(0);
    }

    /// The argument may be a pattern; a handler without a return type replies `()`.
    #[receive]
    async fn deposit(&mut self, Deposit(amount): Deposit) {
        self.balance += amount;
        self.note(amount.into());
    }

    /// An `Err` is a reply like any other: the actor lives on.
    #[receive]
    async fn withdraw(&mut self, Withdraw(amount): Withdraw) -> Result<u64, Overdrawn> {
        let left = self.balance.checked_sub(amount);
        self.balance = left.ok_or_else(|| Overdrawn {
            missing: amount - self.balance,
        })?;
        self.note(-i128::from(amount));
        Ok(self.balance)
    }

    /// A handler that waits for nothing may be a plain fn.
    #[receive]
    fn balance(&mut self, _: Balance) -> u64 {
        self.balance
    }

    /// Handlers receive too. While this one waits for the answer, all else stays in the
    /// mailbox, in order.
    #[receive]
    async fn withdraw_if_confirmed(
        &mut self,
        WithdrawIfConfirmed { amount, owner }: WithdrawIfConfirmed,
    ) -> Result<u64, Overdrawn> {
        owner.send(Confirm {
            what: format!("withdraw {amount}"),
            answer_to: self_address::<Self>().recipient(),
        });
        #[receive(timeout = Duration::from_secs(10))]
        match receive().await {
            Answer(true) => self.withdraw(Withdraw(amount)).await,
            Answer(false) => Ok(self.balance),
            Timeout => Ok(self.balance),
        }
    }

    /// When it is told to shut down, after the handler that it is in.
    async fn on_stop(&mut self, reason: &ExitReason) {
        println!("{reason}: {} entries, {}", self.history.len(), self.balance);
    }

    /// No handler, just a method.
    fn note(&mut self, change: i128) {
        self.history.insert(self.history.len(), change);
    }
}

/// Agrees to the first request only.
struct Owner {
    agrees: bool,
}

#[actor]
impl Owner {
    #[receive]
    fn confirm(&mut self, Confirm { what, answer_to }: Confirm) {
        println!("{what}? {}", if self.agrees { "yes" } else { "no" });
        answer_to.send(Answer(std::mem::take(&mut self.agrees)));
    }
}

fn main() {
    let runtime = Runtime::builder().workers(2).start().unwrap();
    // The type of the state is the protocol: what has a handler can be sent, and called.
    let account: Address<Account> = runtime.spawn(Account::default());
    account.send(Deposit(100));
    assert_eq!(account.call(Deposit(20)).wait(), Ok(()));
    assert_eq!(account.call(Withdraw(10)).wait(), Ok(Ok(110)));
    let overdrawn = account.call(Withdraw(1_000)).wait();
    assert_eq!(overdrawn, Ok(Err(Overdrawn { missing: 890 })));

    // A call is an ask: it can be limited, and fails at once when the actor is gone.
    let balance = account.call(Balance).timeout(Duration::from_secs(10));
    assert_eq!(balance.wait(), Ok(110));

    let owner = runtime.spawn(Owner { agrees: true });
    for _ in 0..2 {
        let confirmed = account.call(WithdrawIfConfirmed {
            amount: 10,
            owner: owner.recipient(),
        });
        // Meanwhile others are kept waiting, not lost.
        let balance = account.call(Balance);
        assert_eq!(confirmed.wait(), Ok(Ok(100)));
        assert_eq!(balance.wait(), Ok(100));
    }

    // "shutdown: 5 entries, 100"
    let report = runtime.shutdown(Duration::from_secs(10));
    assert_eq!(report.killed, 0);
}
