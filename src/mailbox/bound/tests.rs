use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Wake, Waker};

use super::{Bound, Mailbox, Policy, Room, Ticket};

#[derive(Default)]
struct Counted(AtomicUsize);

impl Wake for Counted {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A sender that waits.
struct Sender {
    wakes: Arc<Counted>,
    waker: Waker,
    ticket: Ticket,
}

impl Sender {
    fn queued(bound: &Bound) -> Sender {
        let wakes = Arc::new(Counted::default());
        let waker = Waker::from(wakes.clone());
        let ticket = queued(bound.wait(None, &waker));
        Sender {
            wakes,
            waker,
            ticket,
        }
    }

    fn wakes(&self) -> usize {
        self.wakes.0.load(Ordering::Relaxed)
    }

    fn look(&self, bound: &Bound) -> Room {
        bound.wait(Some(self.ticket), &self.waker)
    }
}

fn queued(room: Room) -> Ticket {
    match room {
        Room::Wait(ticket) => ticket,
        Room::Reserved => panic!("there should be no room"),
        Room::Closed => panic!("it should be open"),
    }
}

fn bounded(capacity: usize) -> Box<Bound> {
    Mailbox::bounded(capacity).bound().expect("bounded")
}

fn full(capacity: usize) -> Box<Bound> {
    let bound = bounded(capacity);
    for _ in 0..capacity {
        assert!(bound.reserve());
    }
    bound
}

#[test]
fn kinds_of_mailboxes() {
    assert!(Mailbox::unbounded().bound().is_none());
    assert_eq!(Mailbox::default(), Mailbox::unbounded());
    assert_eq!(bounded(3).policy, Policy::Refuse);
    let newest = Mailbox::bounded(3).drop_newest().bound().unwrap();
    assert_eq!(newest.policy, Policy::DropNewest);
    let oldest = Mailbox::bounded(3)
        .drop_newest()
        .drop_oldest()
        .bound()
        .unwrap();
    assert_eq!(oldest.policy, Policy::DropOldest);
    assert_eq!(oldest.capacity, 3);
}

#[test]
fn as_many_places_as_there_are() {
    let bound = bounded(2);
    assert!(bound.reserve());
    assert!(bound.reserve());
    assert!(!bound.reserve());
    assert!(!bound.is_over());
    bound.release(1);
    assert!(bound.reserve());
    assert!(!bound.reserve());
}

#[test]
fn a_message_that_goes_back_has_a_place_beyond() {
    let bound = full(1);
    bound.reserve_beyond();
    assert!(bound.is_over());
    bound.release(1);
    assert!(!bound.is_over());
    assert!(!bound.reserve());
    bound.release(1);
    assert!(bound.reserve());
}

#[test]
fn there_is_no_queue_where_there_is_room() {
    let bound = bounded(1);
    assert!(matches!(bound.wait(None, Waker::noop()), Room::Reserved));
    assert!(!bound.reserve());
    queued(bound.wait(None, Waker::noop()));
}

#[test]
fn places_go_to_those_who_wait_in_the_order_they_came() {
    let bound = full(2);
    let senders = [(); 3].map(|()| Sender::queued(&bound));
    assert!(bound.has_waiting());
    for (turn, _) in senders.iter().enumerate() {
        bound.release(1);
        assert!(!bound.reserve(), "[B2] nobody comes in between");
        let woken = senders.each_ref().map(Sender::wakes);
        let expected: [usize; 3] = std::array::from_fn(|i| usize::from(i <= turn));
        assert_eq!(woken, expected);
    }
    assert!(!bound.has_waiting());
    for sender in &senders {
        assert!(matches!(sender.look(&bound), Room::Reserved));
    }
    for _ in 0..2 {
        bound.release(1);
    }
    assert!(bound.reserve());
}

#[test]
fn who_looks_again_too_early_keeps_its_place_and_its_newest_waker() {
    let bound = full(1);
    let first = Sender::queued(&bound);
    let second = Sender::queued(&bound);
    let other = Arc::new(Counted::default());
    let again = queued(bound.wait(Some(first.ticket), &Waker::from(other.clone())));
    bound.release(1);
    assert_eq!((first.wakes(), other.0.load(Ordering::Relaxed)), (0, 1));
    assert_eq!(second.wakes(), 0);
    assert!(matches!(
        bound.wait(Some(again), &first.waker),
        Room::Reserved
    ));
}

#[test]
fn who_leaves_is_passed_over_and_passes_on_what_it_was_granted() {
    let bound = full(1);
    let [first, second, third] = [(); 3].map(|()| Sender::queued(&bound));
    bound.leave(second.ticket);
    bound.release(1);
    assert_eq!([first.wakes(), second.wakes(), third.wakes()], [1, 0, 0]);
    bound.leave(first.ticket);
    assert_eq!(third.wakes(), 1);
    assert!(matches!(third.look(&bound), Room::Reserved));
    assert!(!bound.has_waiting());
    bound.release(1);
    assert!(bound.reserve());
    let last = Sender::queued(&bound);
    bound.leave(last.ticket);
    bound.release(1);
    assert!(bound.reserve(), "nobody waits any more");
}

#[test]
fn a_close_tells_everyone_who_waits_or_comes() {
    let bound = full(2);
    let [granted, waits, leaves] = [(); 3].map(|()| Sender::queued(&bound));
    bound.release(1);
    bound.close();
    assert_eq!([granted.wakes(), waits.wakes(), leaves.wakes()], [1, 1, 1]);
    // A place in a closed mailbox gives the message back when it is used.
    assert!(matches!(granted.look(&bound), Room::Reserved));
    assert!(matches!(waits.look(&bound), Room::Closed));
    bound.leave(leaves.ticket);
    assert!(matches!(bound.wait(None, Waker::noop()), Room::Closed));
    assert!(!bound.has_waiting());
    bound.release(1);
    bound.close();
    assert_eq!(waits.wakes(), 1);
}
