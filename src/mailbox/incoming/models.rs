//! The incoming queue in every order of its steps. [I1] [I2] [I3]

use std::sync::Arc;

use loom::alloc::Track;
use loom::cell::UnsafeCell;
use loom::thread;

use super::{Batch, Incoming, Park, Pushed};
use crate::mailbox::node::NodeBox;
use crate::sync::explore;

/// A message whose content is written by its sender and read by its receiver, with
/// nothing but the queue between them.
struct Parcel {
    number: u32,
    content: Track<UnsafeCell<u32>>,
}

fn parcel(number: u32) -> NodeBox {
    let content = Track::new(UnsafeCell::new(0));
    // SAFETY: nobody else has it yet; loom would see it.
    content.get_ref().with_mut(|c| unsafe { *c = number });
    NodeBox::message(Parcel { number, content })
}

fn open(mut node: NodeBox) -> u32 {
    let Parcel { number, content } = node.take().expect("nothing else is sent");
    // SAFETY: it came out of the queue, to one receiver; loom would see another.
    assert_eq!(content.get_ref().with(|c| unsafe { *c }), number);
    number
}

fn open_all(mut batch: Batch) -> Vec<u32> {
    let mut numbers = Vec::new();
    while let Some(node) = batch.pop_node() {
        numbers.push(open(node));
    }
    numbers
}

/// Sends, and wakes `receiver` when told to. Whether it was told to.
fn send(queue: &Incoming, number: u32, receiver: &thread::Thread) -> bool {
    let pushed = queue.push(parcel(number));
    match pushed.map_err(open).expect("nobody closes") {
        Pushed::Queued => false,
        Pushed::Wake => {
            receiver.unpark();
            true
        }
    }
}

/// Receives so many, sleeping when there are none. Also how often it slept.
fn receive(queue: &Incoming, count: usize) -> (Vec<u32>, usize) {
    let mut numbers = Vec::new();
    let mut sleeps = 0;
    while numbers.len() < count {
        let batch = queue.take();
        if batch.is_empty() {
            match queue.park() {
                Park::Parked => {
                    sleeps += 1;
                    thread::park();
                    assert!(!queue.is_parked(), "woken by a push");
                }
                Park::Signals => {}
                Park::Closed => unreachable!("nobody closes"),
            }
        }
        numbers.extend(open_all(batch));
    }
    (numbers, sleeps)
}

/// That `numbers` has each sender's in the order sent.
fn assert_in_order(numbers: &[u32]) {
    for sender in 0..3 {
        let of_sender = numbers.iter().filter(|&&n| n / 10 == sender);
        assert!(of_sender.is_sorted(), "{numbers:?}");
    }
}

#[test]
fn no_wake_up_is_lost_and_each_sleep_has_one() {
    explore(3, || {
        let queue = Arc::new(Incoming::new());
        let receiver = thread::current();
        let senders = [1, 2].map(|number| {
            let (queue, receiver) = (queue.clone(), receiver.clone());
            thread::spawn(move || send(&queue, number, &receiver))
        });
        let (mut numbers, sleeps) = receive(&queue, 2);
        numbers.sort_unstable();
        assert_eq!(numbers, [1, 2]);
        let wakes = senders.map(|s| usize::from(s.join().unwrap()));
        assert_eq!(wakes.iter().sum::<usize>(), sleeps, "[I2]");
    });
}

#[test]
fn each_sender_s_messages_keep_their_order() {
    explore(3, || {
        let queue = Arc::new(Incoming::new());
        let receiver = thread::current();
        let senders = [0, 10].map(|first| {
            let (queue, receiver) = (queue.clone(), receiver.clone());
            thread::spawn(move || {
                for number in first..first + 2 {
                    send(&queue, number, &receiver);
                }
            })
        });
        let (numbers, _) = receive(&queue, 4);
        assert_in_order(&numbers);
        let mut sorted = numbers;
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 10, 11]);
        for sender in senders {
            sender.join().unwrap();
        }
    });
}

#[test]
fn a_message_that_wins_over_the_close_comes_out_once_and_one_that_loses_comes_back() {
    explore(3, || {
        let queue = Arc::new(Incoming::new());
        let sender = {
            let queue = queue.clone();
            thread::spawn(move || {
                let mut accepted = Vec::new();
                let mut closed = false;
                for number in 0..2 {
                    match queue.push(parcel(number)).map_err(open) {
                        Ok(_) => {
                            assert!(!closed, "closed is closed for good");
                            accepted.push(number);
                        }
                        Err(back) => {
                            assert_eq!(back, number);
                            closed = true;
                        }
                    }
                }
                accepted
            })
        };
        // [I3] the killer's close against the owner's takes.
        let killer = {
            let queue = queue.clone();
            thread::spawn(move || open_all(queue.close().expect("the only close")))
        };
        let mut numbers = open_all(queue.take());
        let closed_before = queue.is_closed();
        let second = open_all(queue.take());
        assert!(
            !closed_before || second.is_empty(),
            "[I3] no right to consume"
        );
        numbers.extend(second);
        numbers.extend(killer.join().unwrap());
        assert_eq!(numbers, sender.join().unwrap());
        assert!(queue.close().is_none());
    });
}

#[test]
fn of_two_closes_one_wins_and_gets_everything() {
    explore(3, || {
        let queue = Arc::new(Incoming::new());
        let sender = {
            let queue = queue.clone();
            thread::spawn(move || queue.push(parcel(7)).map_err(open).is_ok())
        };
        let killer = {
            let queue = queue.clone();
            thread::spawn(move || queue.close().map(open_all))
        };
        let mut seen = open_all(queue.take());
        let own = queue.close().map(open_all);
        let other = killer.join().unwrap();
        assert!(own.is_some() ^ other.is_some(), "[I3]");
        seen.extend(own.into_iter().chain(other).flatten());
        assert_eq!(seen.len(), usize::from(sender.join().unwrap()), "[I1]");
    });
}

#[test]
fn a_close_finds_the_receiver_asleep_or_is_found_by_it() {
    explore(3, || {
        let queue = Arc::new(Incoming::new());
        let receiver = thread::current();
        let sender = {
            let (queue, receiver) = (queue.clone(), receiver.clone());
            thread::spawn(move || match queue.push(parcel(7)).map_err(open) {
                Ok(Pushed::Wake) => {
                    receiver.unpark();
                    true
                }
                Ok(Pushed::Queued) => true,
                Err(_) => false,
            })
        };
        let killer = {
            let queue = queue.clone();
            thread::spawn(move || {
                let rest = queue.close().map(open_all).expect("the only close");
                // As a kill does, whatever the receiver waits for.
                receiver.unpark();
                rest
            })
        };
        let mut numbers = Vec::new();
        loop {
            numbers.extend(open_all(queue.take()));
            match queue.park() {
                Park::Parked => thread::park(),
                Park::Signals => {}
                Park::Closed => break,
            }
        }
        numbers.extend(killer.join().unwrap());
        assert_eq!(numbers.len(), usize::from(sender.join().unwrap()), "[I1]");
    });
}

#[test]
fn a_taken_back_park_leaves_either_a_message_or_no_wake_up() {
    explore(3, || {
        let queue = Arc::new(Incoming::new());
        assert_eq!(queue.park(), Park::Parked);
        let sender = {
            let queue = queue.clone();
            thread::spawn(move || queue.push(parcel(7)).map_err(open))
        };
        queue.unpark();
        let parked = queue.is_parked();
        assert!(!parked);
        let pushed = sender.join().unwrap().expect("nobody closes");
        assert_eq!(open_all(queue.take()), [7]);
        // Whichever came first: the message is there, and a wake-up is at worst vain.
        assert!(matches!(pushed, Pushed::Queued | Pushed::Wake));
    });
}
