//! An associated function is an actor with a protocol that exists; `Self` and the block's parameters work.
#![deny(warnings)]
use uproar::prelude::*;

struct Tick;

#[receive]
enum Wanted<T: Send + 'static> {
    Tick(Tick),
    Value(Typed<T>),
}

struct Account<T>(Vec<T>);

impl<T: Clone + Send + 'static> Account<T> {
    const START: u8 = 1;

    #[actor(protocol = Wanted<T>)]
    async fn run(mut account: Self, done: Recipient<Vec<T>>) {
        let mut ticks = Self::START;
        loop {
            match receive::<Wanted<T>>().await {
                Wanted::Tick(Tick) => ticks += 1,
                Wanted::Value(Typed(value)) => account.0.push(value),
            }
            if ticks == 2 {
                break done.send(account.0.clone());
            }
        }
    }

    #[actor(protocol = Tick2)]
    async fn matches() {
        #[receive]
        match receive().await {
            Tick2 => {}
        }
    }
}

#[receive]
struct Tick2;

#[uproar::main]
async fn main() {
    let me = self_address::<Anything>();
    let account: Address<Wanted<u8>> = spawn(Account::run(Account(vec![1]), me.recipient()));
    account.send(2u8);
    account.send(Tick);
    assert_eq!(receive::<Typed<Vec<u8>>>().await, Typed(vec![1, 2]));
    let matches: Address<Tick2> = spawn(Account::<u8>::matches());
    matches.send(Tick2);
    while matches.is_alive() {
        yield_now().await;
    }
}
