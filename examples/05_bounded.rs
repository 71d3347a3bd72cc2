//! 5. Bounded mailboxes: what happens to one message too many is your choice.
//!
//! A mailbox is unbounded unless you say otherwise. A bounded one refuses what it
//! has no room for, or drops the newest, or drops the oldest. Senders choose, too:
//! `send` never waits, `try_send` says no, `deliver` waits for room, and so slows a
//! producer down to the pace of its consumer.

use uproar::prelude::*;

/// Lets the mailbox's owner begin.
struct Begin(ReplyTo<Vec<u32>>);

/// Answers with all numbers that are in its mailbox when it is told to begin.
#[actor]
async fn sink() {
    #[receive]
    match receive().await {
        Begin(reply_to) => {
            let mut got = Vec::new();
            while let Some(Typed(n)) = try_receive::<Typed<u32>>() {
                got.push(n);
            }
            reply_to.send(got);
        }
    }
}

fn spawn_sink(mailbox: Mailbox) -> Result<Address<Anything>, SpawnError> {
    // `Anything`: this sink is a plain future, to which all types can be sent.
    let sink = async { Actor::into_future(sink()).await };
    Spawn::new().mailbox(mailbox).spawn(sink)
}

#[uproar::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Ok(())
}
