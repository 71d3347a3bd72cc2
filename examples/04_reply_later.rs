//! 4. Reply later: a `ReplyTo` is a value. Keep it, pass it on, or drop it.
//!
//! Whoever holds the `ReplyTo` owes the answer. So a server need not answer in the
//! arm that received the request: it can go on serving, and answer when it can, or
//! let another answer for it.

use std::collections::VecDeque;

use uproar::prelude::*;

struct Lock(ReplyTo<()>);
struct Unlock;

/// A mutex among actors: keeps the `ReplyTo`s of those who wait, oldest first.
///
/// (One that ends while it holds the lock keeps it for ever. To learn of that there
/// will be monitors.)
#[actor]
async fn mutex() {
    let mut waiting: VecDeque<ReplyTo<()>> = VecDeque::new();
    let mut locked = false;
    loop {
        #[receive]
        match receive().await {
            Lock(reply_to) if !locked => {
                // Whoever has timed out meanwhile wants it no more.
                locked = reply_to.is_wanted();
                reply_to.send(());
            }
            Lock(reply_to) => waiting.push_back(reply_to),
            Unlock => {
                waiting.retain(ReplyTo::is_wanted);
                match waiting.pop_front() {
                    Some(next) => next.send(()),
                    None => locked = false,
                }
            }
        }
    }
}

/// The same, shorter: while the lock is taken the actor simply does not receive
/// `Lock`. The mailbox is the queue.
#[actor]
async fn short_mutex() {
    loop {
        #[receive]
        match receive().await {
            Lock(reply_to) if reply_to.is_wanted() => reply_to.send(()),
            Lock(_) => continue,
        }
        #[receive]
        match receive().await {
            Unlock => {}
        }
    }
}

struct Square(u64, ReplyTo<u64>);

#[actor]
async fn squarer() {
    loop {
        #[receive]
        match receive().await {
            Square(n, reply_to) => reply_to.send(n * n),
        }
    }
}

/// Hands each request to the next of its workers. The worker answers the asker; the
/// router is free again at once.
#[actor]
async fn router(workers: Vec<Address<Squarer>>) {
    for worker in workers.iter().cycle() {
        #[receive]
        match receive().await {
            Square(n, reply_to) => worker.send(Square(n, reply_to)),
        }
    }
}

/// Locks, looks whether it is alone, unlocks; some times over.
async fn contend(mutex: Address<impl Receives<Lock> + Receives<Unlock>>) -> Result<(), AskError> {
    for _ in 0..10 {
        mutex.ask(Lock).await?;
        yield_now().await;
        mutex.send(Unlock);
    }
    Ok(())
}

#[uproar::main]
async fn main() -> Result<(), AskError> {
    let mutex = spawn(mutex());
    mutex.ask(Lock).await?;
    let impatient = mutex.ask(Lock).timeout(Duration::from_millis(10)).await;
    assert_eq!(impatient, Err(AskError::Timeout));
    mutex.send(Unlock);
    // The one that timed out does not hold the lock now.
    contend(mutex).await?;
    contend(spawn(short_mutex())).await?;
    println!("both mutexes work");

    let workers = (0..3).map(|_| spawn(squarer())).collect();
    let router = spawn(router(workers));
    let mut sum = 0;
    for n in 1..=10 {
        sum += router.ask(|reply_to| Square(n, reply_to)).await?;
    }
    println!("the sum of the squares: {sum}");
    assert_eq!(sum, 385);
    Ok(())
}
