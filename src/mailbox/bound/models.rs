//! Room, and who waits for it, in every order of the steps. [B1] [B2]

use std::sync::Arc;
use std::task::{Wake, Waker};

use loom::thread::{self, Thread};

use super::{Bound, Mailbox, Room};
use crate::sync::{AtomicBool, Ordering, explore};

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn waker() -> Waker {
    Waker::from(Arc::new(Unpark(thread::current())))
}

/// A mailbox of one, which is full.
fn full() -> Arc<Bound> {
    let bound = Arc::from(Mailbox::bounded(1).bound().expect("bounded"));
    assert!(Bound::reserve(&bound));
    bound
}

/// Waits for room as `deliver` does. Whether there was some.
fn deliver(bound: &Bound) -> bool {
    if bound.reserve() {
        return true;
    }
    let mut ticket = None;
    loop {
        match bound.wait(ticket.take(), &waker()) {
            Room::Reserved => return true,
            Room::Closed => return false,
            Room::Wait(t) => ticket = Some(t),
        }
        thread::park();
    }
}

/// [B1] with so many messages and nobody waiting.
fn assert_holds(bound: &Bound, messages: usize) {
    assert_eq!(bound.taken.load(Ordering::SeqCst), messages);
    assert_eq!(bound.waiting.load(Ordering::SeqCst), 0);
    assert!(bound.queue().order.is_empty());
    assert!(bound.queue().senders.is_empty());
}

#[test]
fn a_freed_place_reaches_the_sender_that_queues_up_meanwhile() {
    explore(4, || {
        let bound = full();
        let sender = {
            let bound = bound.clone();
            thread::spawn(move || deliver(&bound))
        };
        bound.release(1);
        assert!(sender.join().unwrap());
        assert_holds(&bound, 1);
    });
}

#[test]
fn two_places_reach_two_senders() {
    explore(3, || {
        let bound = full();
        let senders = [(); 2].map(|()| {
            let bound = bound.clone();
            thread::spawn(move || {
                assert!(deliver(&bound));
                // Its message is taken at once.
                bound.release(1);
            })
        });
        bound.release(1);
        for sender in senders {
            sender.join().unwrap();
        }
        assert_holds(&bound, 0);
    });
}

#[test]
fn a_place_granted_to_a_sender_that_leaves_goes_on_to_the_next() {
    explore(3, || {
        let bound = full();
        let Room::Wait(first) = bound.wait(None, &waker()) else {
            panic!("it is full")
        };
        let sender = {
            let bound = bound.clone();
            thread::spawn(move || deliver(&bound))
        };
        let receiver = {
            let bound = bound.clone();
            thread::spawn(move || bound.release(1))
        };
        bound.leave(first);
        receiver.join().unwrap();
        assert!(sender.join().unwrap());
        assert_holds(&bound, 1);
    });
}

#[test]
fn a_close_tells_the_sender_that_waits_or_comes() {
    explore(3, || {
        let bound = full();
        let sender = {
            let bound = bound.clone();
            thread::spawn(move || deliver(&bound))
        };
        let receiver = {
            let bound = bound.clone();
            thread::spawn(move || bound.release(1))
        };
        bound.close();
        // Either is fine: a place in a closed mailbox gives the message back.
        sender.join().unwrap();
        receiver.join().unwrap();
        assert!(bound.queue().senders.is_empty());
    });
}

#[test]
fn there_is_never_more_in_it_than_fits() {
    explore(3, || {
        let bound = Arc::<Bound>::from(Mailbox::bounded(1).bound().expect("bounded"));
        let inside = Arc::new(AtomicBool::new(false));
        let senders = [(); 2].map(|()| {
            let (bound, inside) = (bound.clone(), inside.clone());
            thread::spawn(move || {
                assert!(deliver(&bound));
                assert!(!inside.swap(true, Ordering::Relaxed), "[B1]");
                inside.store(false, Ordering::Relaxed);
                bound.release(1);
            })
        });
        for sender in senders {
            sender.join().unwrap();
        }
        assert_holds(&bound, 0);
    });
}
