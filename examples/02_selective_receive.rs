//! 2. Selective receive: an actor takes the messages it wants now; others wait.
//!
//! A mailbox is not a pipe. A receive takes the *oldest message that some arm
//! accepts*; whatever no arm accepts stays where it is, in order, for a later
//! receive. So the order in which an actor works is its own, and "not now" needs
//! no stash and no state machine.

use uproar::prelude::*;

#[derive(Debug, PartialEq)]
enum Job {
    Urgent(&'static str),
    Normal(&'static str),
}

/// Ends the shift: the worker reports what it has done, in its order.
struct Report(ReplyTo<Vec<&'static str>>);

/// Takes urgent jobs first, however late they came.
#[actor]
async fn worker() {
    let mut done = Vec::new();
    loop {
        // The first receive accepts urgent jobs only, and does not wait for one: a
        // timeout of zero looks through the mailbox once.
        #[receive(timeout = Duration::ZERO)]
        match receive().await {
            Job::Urgent(job) => {
                done.push(job);
                continue;
            }
            Timeout => {}
        }
        // Nothing is urgent. Take whatever is oldest, and wait if there is nothing.
        #[receive]
        match receive().await {
            Job::Urgent(job) => done.push(job),
            Job::Normal(job) => done.push(job),
            Report(reply_to) => return reply_to.send(done),
        }
    }
}

struct Part {
    of: u32,
    text: &'static str,
}

struct End {
    of: u32,
}

/// Reads the parts of several texts that come mixed up, one text at a time.
#[actor]
async fn reader(wanted: Vec<u32>, to: Recipient<String>) {
    for text in wanted {
        let mut line = String::new();
        loop {
            // A guard sees the variables of its pattern and those around it. Parts of
            // other texts stay in the mailbox until it is their turn.
            #[receive(timeout = Duration::from_secs(10))]
            match receive().await {
                Part { of, text: part } if of == text => line += part,
                End { of } if of == text => break,
                Timeout => return,
            }
        }
        to.send(line);
    }
}

#[uproar::main]
async fn main() -> Result<(), AskError> {
    let worker = spawn(worker());
    worker.send(Job::Normal("water the plants"));
    worker.send(Job::Normal("sweep the floor"));
    worker.send(Job::Urgent("put out the fire"));
    let done = worker.ask(Report).await?;
    println!("{done:?}");
    assert_eq!(
        done,
        ["put out the fire", "water the plants", "sweep the floor"]
    );

    // This function is an actor too, so it has a mailbox and may receive.
    let me = self_address::<Anything>();
    let reader = spawn(reader(vec![2, 1], me.recipient()));
    for (of, text) in [(1, "all "), (2, "one "), (1, "at last"), (2, "by one")] {
        reader.send(Part { of, text });
    }
    reader.send(End { of: 1 });
    reader.send(End { of: 2 });
    // `String` is not a type of ours, so it has no `#[receive]`: `Typed` names it.
    let Typed(first) = receive::<Typed<String>>().await;
    let Typed(second) = receive::<Typed<String>>().await;
    println!("{first}, {second}");
    assert_eq!(
        (first.as_str(), second.as_str()),
        ("one by one", "all at last")
    );

    // Order holds: messages of one sender arrive as sent, and a receive that skips
    // some leaves them as they were.
    for n in 1..=5u32 {
        send(self_pid(), n);
    }
    let even = receive_if(|n: &u32| n.is_multiple_of(2)).await;
    let mut rest = Vec::new();
    while let Some(Typed(n)) = try_receive::<Typed<u32>>() {
        rest.push(n);
    }
    println!("{even}, then {rest:?}");
    assert_eq!((even, rest), (2, vec![1, 3, 4, 5]));
    Ok(())
}
