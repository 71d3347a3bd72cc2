//! 5. Bounded mailboxes: what happens to one message too many is your choice.
//!
//! A mailbox is unbounded unless you say otherwise. A bounded one refuses what it
//! has no room for, or drops the newest, or drops the oldest. Senders choose, too:
//! `send` never waits, `try_send` is told, and `deliver` waits for room, which slows
//! a producer down to the pace of its consumer.

use uproar::prelude::*;

/// "May I begin?"
struct Ready(ReplyTo<()>);

/// Receives nothing until it may begin, then takes all numbers that are there.
#[actor(receives(u32))]
async fn sink(gate: Recipient<Ready>, result: Recipient<Vec<u32>>) -> Result<(), AskError> {
    gate.ask(Ready).await?;
    let mut got = Vec::new();
    while let Some(Typed(n)) = try_receive::<Typed<u32>>() {
        got.push(n);
    }
    result.send(got);
    Ok(())
}

/// Spawns a sink with this mailbox, sends it five numbers while it receives nothing,
/// and returns what it has got in the end.
async fn five_numbers_into(mailbox: Mailbox) -> Vec<u32> {
    let me = self_address::<Anything>();
    let sink = Spawn::new()
        .mailbox(mailbox)
        .spawn(sink(me.recipient(), me.recipient()))
        .expect("this runtime is not shutting down");
    let Typed(Ready(gate)) = receive::<Typed<Ready>>().await;
    for n in 1..=5u32 {
        match sink.try_send(n) {
            Ok(()) => {}
            // The message comes back to whoever wants to do something about it.
            Err(SendError::Full(n)) => println!("  full: {n} is refused"),
            Err(error) => println!("  {error}"),
        }
    }
    gate.send(());
    let Typed(got) = receive::<Typed<Vec<u32>>>().await;
    got
}

/// Takes twenty numbers, one a millisecond.
#[actor]
async fn slow(result: Recipient<u32>) {
    let mut sum = 0;
    for _ in 0..20 {
        #[receive]
        match receive().await {
            Typed::<u32>(n) => sum += n,
        }
        sleep(Duration::from_millis(1)).await;
    }
    result.send(sum);
}

#[uproar::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("unbounded");
    assert_eq!(
        five_numbers_into(Mailbox::unbounded()).await,
        [1, 2, 3, 4, 5]
    );

    println!("bounded(3): the mailbox refuses, the sender decides");
    assert_eq!(five_numbers_into(Mailbox::bounded(3)).await, [1, 2, 3]);

    println!("bounded(3).drop_newest(): what comes late is lost, and counted");
    let newest = Mailbox::bounded(3).drop_newest();
    assert_eq!(five_numbers_into(newest).await, [1, 2, 3]);

    println!("bounded(3).drop_oldest(): for readings of which the last ones matter");
    let oldest = Mailbox::bounded(3).drop_oldest();
    assert_eq!(five_numbers_into(oldest).await, [3, 4, 5]);

    println!("deliver: nothing is lost, the producer waits for the consumer");
    let me = self_address::<Anything>();
    let slow = Spawn::new()
        .mailbox(Mailbox::bounded(4))
        .spawn(slow(me.recipient()))?;
    let start = now();
    for n in 1..=20u32 {
        slow.deliver(n).await?;
    }
    // 20 numbers, 4 of them still in the mailbox, at a millisecond each.
    println!("  took {:?}", now() - start);
    assert!(now() - start >= Duration::from_millis(15));
    let Typed(sum) = receive::<Typed<u32>>().await;
    assert_eq!(sum, 210);
    Ok(())
}
