//! A bundle in every order of its steps. [U1] [U2] [U3]
//!
//! Loom sees memory that is freed twice or never, and content that is read without
//! a happens-before.

use std::sync::Arc;

use loom::alloc::Track;
use loom::cell::UnsafeCell;
use loom::thread;

use crate::mailbox::incoming::{Batch, Incoming, Park, Pushed};
use crate::mailbox::stream::Stream;
use crate::sync::explore;

struct Parcel {
    number: u32,
    content: Track<UnsafeCell<u32>>,
}

fn parcel(number: u32) -> Parcel {
    let content = Track::new(UnsafeCell::new(0));
    // SAFETY: nobody else has it yet; loom would see it.
    content.get_ref().with_mut(|c| unsafe { *c = number });
    Parcel { number, content }
}

fn open(parcel: Parcel) -> u32 {
    // SAFETY: it came out of the queue, to one receiver; loom would see another.
    let content = parcel.content.get_ref().with(|c| unsafe { *c });
    assert_eq!(content, parcel.number);
    content
}

fn open_all(mut batch: Batch, to: &mut Vec<u32>) {
    while let Some(mut queued) = batch.pop() {
        to.push(open(queued.take_if(Ok).expect("nothing else is sent")));
    }
}

/// Sends these in bundles from the first message on.
fn send_all(queue: &Incoming, numbers: std::ops::Range<u32>, receiver: &thread::Thread) {
    let stream = Stream::new();
    for number in numbers {
        match stream.push_in_bundle(queue, parcel(number)) {
            Ok(Pushed::Wake) => receiver.unpark(),
            Ok(Pushed::Queued) => {}
            Err(_) => panic!("nobody closes"),
        }
    }
    stream.let_go();
}

/// Receives so many, sleeping when there are none.
fn receive(queue: &Incoming, count: usize) -> Vec<u32> {
    let mut numbers = Vec::new();
    while numbers.len() < count {
        let batch = queue.take();
        if batch.is_empty() && queue.park() == Park::Parked {
            thread::park();
        }
        open_all(batch, &mut numbers);
    }
    numbers
}

#[test]
fn appends_race_the_seal_and_none_is_lost() {
    explore(3, || {
        let queue = Arc::new(Incoming::new());
        let receiver = thread::current();
        let sender = {
            let queue = queue.clone();
            thread::spawn(move || send_all(&queue, 0..3, &receiver))
        };
        assert_eq!(receive(&queue, 3), [0, 1, 2]);
        sender.join().unwrap();
    });
}

#[test]
fn two_streams_keep_their_orders() {
    explore(2, || {
        let queue = Arc::new(Incoming::new());
        let receiver = thread::current();
        let senders = [0, 10].map(|first| {
            let (queue, receiver) = (queue.clone(), receiver.clone());
            thread::spawn(move || send_all(&queue, first..first + 2, &receiver))
        });
        let numbers = receive(&queue, 4);
        for first in [0, 10] {
            let of_one: Vec<_> = numbers.iter().filter(|&&n| n / 10 * 10 == first).collect();
            assert_eq!(of_one, [&first, &(first + 1)], "{numbers:?}");
        }
        for sender in senders {
            sender.join().unwrap();
        }
    });
}

/// What a sender knows of another's push comes before its own (R2).
#[test]
fn order_is_causal() {
    use crate::sync::{AtomicBool, Ordering};
    explore(3, || {
        let queue = Arc::new(Incoming::new());
        let told = Arc::new(AtomicBool::new(false));
        let other = {
            let (queue, told) = (queue.clone(), told.clone());
            thread::spawn(move || {
                let stream = Stream::new();
                assert!(stream.push_in_bundle(&queue, parcel(10)).is_ok());
                told.store(true, Ordering::Release);
                stream.let_go();
            })
        };
        let sender = {
            let queue = queue.clone();
            thread::spawn(move || {
                let stream = Stream::new();
                assert!(stream.push_in_bundle(&queue, parcel(0)).is_ok());
                let knows = told.load(Ordering::Acquire);
                assert!(stream.push_in_bundle(&queue, parcel(1)).is_ok());
                stream.let_go();
                knows
            })
        };
        let mut numbers = Vec::new();
        open_all(queue.take(), &mut numbers);
        let knows = sender.join().unwrap();
        other.join().unwrap();
        open_all(queue.take(), &mut numbers);
        let place = |n| numbers.iter().position(|&m| m == n).expect("none is lost");
        assert_eq!(numbers.len(), 3);
        assert!(place(0) < place(1));
        if knows {
            assert!(place(10) < place(1), "{numbers:?}");
        }
    });
}

#[test]
fn a_close_races_the_appends() {
    explore(3, || {
        let queue = Arc::new(Incoming::new());
        let sender = {
            let queue = queue.clone();
            thread::spawn(move || {
                let stream = Stream::new();
                let taken = (0..3)
                    .take_while(|&n| stream.push_in_bundle(&queue, parcel(n)).is_ok())
                    .count();
                stream.let_go();
                taken
            })
        };
        let mut numbers = Vec::new();
        open_all(queue.take(), &mut numbers);
        open_all(queue.close().expect("nobody else closes"), &mut numbers);
        let taken = sender.join().unwrap();
        assert_eq!(numbers, (0..taken as u32).collect::<Vec<_>>());
    });
}
