//! 6. Many actors: they are small, and spawning one is cheap.
//!
//! An actor is one allocation that holds its future, its record and its mailbox. It
//! has no stack and no thread. So there may be a million of them, one for each
//! connection, order or cell of a grid, and the design need not ration them.
//! Run this with `--release` for the full number.

use uproar::prelude::*;

const ACTORS: u32 = if cfg!(debug_assertions) {
    100_000
} else {
    1_000_000
};

struct Ping(ReplyTo<u32>);

/// One of a million.
#[actor]
async fn one(number: u32) {
    #[receive]
    match receive().await {
        Ping(reply_to) => reply_to.send(number),
    }
}

/// How many hops are left.
struct Token(u32);

/// A member of a ring: hands each token on to the next, with one hop fewer.
///
/// The first member is spawned before there is a next one, and is told later. Until
/// then it receives nothing else; tokens that come early wait in its mailbox.
#[actor(receives(Address<Member>))]
async fn member(next: Option<Address<Member>>, done: Recipient<()>) {
    let next = match next {
        Some(next) => next,
        None => {
            let Typed(next) = receive::<Typed<Address<Member>>>().await;
            next
        }
    };
    loop {
        #[receive]
        match receive().await {
            Token(0) => done.send(()),
            Token(hops) => next.send(Token(hops - 1)),
        }
    }
}

const MEMBERS: u32 = 1_000;
const TOKENS: u32 = 100;
const HOPS: u32 = 10_000;

#[uproar::main]
async fn main() -> Result<(), AskError> {
    let start = now();
    let actors: Vec<Address<One>> = (0..ACTORS).map(|number| spawn(one(number))).collect();
    println!("{ACTORS} actors: spawned after {:?}", now() - start);

    // All requests first, then all replies.
    let asks: Vec<_> = actors.iter().map(|actor| actor.ask(Ping)).collect();
    let mut sum = 0u64;
    for ask in asks {
        sum += u64::from(ask.await?);
    }
    println!("each has answered after {:?}", now() - start);
    assert_eq!(sum, u64::from(ACTORS) * u64::from(ACTORS - 1) / 2);

    let start = now();
    let me = self_address::<Anything>();
    let first = spawn(member(None, me.recipient()));
    let mut last = first.clone();
    for _ in 1..MEMBERS {
        last = spawn(member(Some(last), me.recipient()));
    }
    first.send(last);
    for _ in 0..TOKENS {
        first.send(Token(HOPS));
    }
    for _ in 0..TOKENS {
        let Typed(()) = receive().await;
    }
    println!(
        "{TOKENS} tokens went {HOPS} hops each in {:?}",
        now() - start
    );
    Ok(())
}
