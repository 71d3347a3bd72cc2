//! Mailboxes that drop the oldest, where senders and the owner share the store, in
//! every order of their steps. [M1] [M3] [M4]

use std::sync::Arc;

use loom::thread::{self, Thread};

use super::{Mailbox, MailboxState, NodeBox, Park, Pushed};
use crate::sync::explore;

type State = MailboxState<()>;

fn mailbox(capacity: usize) -> Arc<State> {
    Arc::new(State::new(Mailbox::bounded(capacity).drop_oldest(), ()))
}

fn number(mut node: NodeBox) -> u32 {
    node.take().expect("nothing else is sent")
}

/// Sends, and wakes `receiver` when told to. What was dropped for it, or came back.
fn send(mailbox: &State, message: u32, receiver: &Thread) -> Option<u32> {
    let mut dropped = None;
    match mailbox.send(message, &mut dropped) {
        Ok(Pushed::Queued) => {}
        Ok(Pushed::Wake) => receiver.unpark(),
        Err(super::Refused::Gone(back)) => {
            assert_eq!(back, message);
            return Some(message);
        }
        Err(super::Refused::Full(_)) => unreachable!("it drops instead"),
    }
    dropped.map(number)
}

fn try_receive(mailbox: &State) -> Option<u32> {
    // SAFETY: [M4] the one caller is the owner.
    let node = unsafe {
        mailbox.drain(|_, _| ());
        mailbox.store(|store| store.next_front().map(|candidate| candidate.node))
    };
    node.map(|node| {
        mailbox.taken();
        number(node)
    })
}

/// Receives one, sleeping until there is one.
fn receive(mailbox: &State) -> u32 {
    loop {
        if let Some(message) = try_receive(mailbox) {
            return message;
        }
        if mailbox.incoming.park() == Park::Parked {
            thread::park();
        }
    }
}

#[test]
fn each_message_is_received_or_dropped_and_the_receiver_wakes() {
    explore(2, || {
        let mailbox = mailbox(1);
        let receiver = thread::current();
        let senders = [10, 20].map(|first| {
            let (mailbox, receiver) = (mailbox.clone(), receiver.clone());
            thread::spawn(move || {
                let dropped = [first, first + 1].map(|n| send(&mailbox, n, &receiver));
                dropped.into_iter().flatten().collect::<Vec<_>>()
            })
        });
        let mut received = vec![receive(&mailbox)];
        let mut dropped = Vec::new();
        for sender in senders {
            dropped.extend(sender.join().unwrap());
        }
        received.extend(std::iter::from_fn(|| try_receive(&mailbox)));
        for first in [10, 20] {
            let of_sender = received.iter().filter(|&&n| n / 10 == first / 10);
            assert!(of_sender.is_sorted(), "{received:?}");
        }
        let mut all = received;
        all.extend(dropped);
        all.sort_unstable();
        assert_eq!(all, [10, 11, 20, 21], "[M1]");
        assert!(
            mailbox.bound.as_ref().unwrap().reserve(),
            "all room is free"
        );
    });
}

#[test]
fn a_close_while_a_sender_makes_room_loses_and_doubles_nothing() {
    explore(3, || {
        let mailbox = mailbox(1);
        let owner = thread::current();
        assert_eq!(send(&mailbox, 1, &owner), None);
        let sender = {
            let mailbox = mailbox.clone();
            thread::spawn(move || send(&mailbox, 2, &owner))
        };
        let killer = {
            let mailbox = mailbox.clone();
            thread::spawn(move || {
                // SAFETY: [M4] not the owner.
                let rest = unsafe { mailbox.close(false) };
                rest.map(|mut rest| std::iter::from_fn(|| rest.pop_node().map(number)).collect())
            })
        };
        let mut seen: Vec<u32> = try_receive(&mailbox).into_iter().collect();
        seen.extend(sender.join().unwrap());
        seen.extend(killer.join().unwrap().unwrap_or(Vec::new()));
        // SAFETY: [M4] the owner, alone.
        let rest = unsafe { mailbox.close(true) };
        if let Some(mut rest) = rest {
            seen.extend(std::iter::from_fn(|| rest.pop_node().map(number)));
        }
        // One that was dropped for a message that then came back is gone.
        seen.sort_unstable();
        assert!(seen == [1, 2] || seen == [2], "{seen:?}");
    });
}
