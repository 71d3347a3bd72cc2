use std::any::TypeId;
use std::task::Waker;

use super::{Batch, Candidate, Cursor, NodeBox, Store, Wants};
use crate::process::ExitReason;
use crate::signals::Signal;

const NUMBERS: Wants = Wants::Types(&[TypeId::of::<u32>()]);

/// A store that messages with these numbers have arrived in.
fn store(numbers: impl IntoIterator<Item = u32>) -> Store {
    let mut store = Store::default();
    for number in numbers {
        store.arrive(batch(NodeBox::message(number)), &mut no_signals);
    }
    store
}

fn batch(node: NodeBox) -> Batch {
    let mut batch = Batch::default();
    batch.push(node);
    batch
}

fn no_signals(_: &mut Store, signal: Signal) {
    panic!("nobody sent {signal:?}");
}

fn number(mut node: NodeBox) -> u32 {
    node.take().expect("nothing else is sent")
}

/// Refuses the next of the front.
fn refuse_next(store: &mut Store) {
    let candidate = store.next_front().expect("there is one");
    store.refuse(candidate);
}

/// Takes out what a receive of numbers would test, saved ones first.
fn rest(store: &mut Store) -> Vec<u32> {
    let mut all = Batch::default();
    store.empty_into(&mut all);
    std::iter::from_fn(|| all.pop_node().map(number)).collect()
}

#[test]
fn the_front_is_numbered_as_it_is_looked_at() {
    let mut store = store([10, 20]);
    assert!(store.has_front());
    assert_eq!(store.arrivals(), 0);
    for (expected, arrival) in [(10, 1), (20, 2)] {
        let candidate = store.next_front().unwrap();
        assert_eq!((candidate.arrival, candidate.place), (arrival, None));
        assert_eq!(number(candidate.node), expected);
    }
    assert!(store.next_front().is_none());
    assert_eq!(store.arrivals(), 2);
    assert!(!store.has_front());
}

#[test]
fn control_signals_act_in_their_place_and_are_no_messages() {
    let mut store = store([1]);
    let mut acted = 0;
    let exit = NodeBox::control(Signal::Kill);
    store.arrive(batch(exit), &mut |store: &mut Store, signal| {
        assert_eq!(store.arrivals(), 0);
        assert!(matches!(signal, Signal::Kill));
        acted += 1;
    });
    assert_eq!(acted, 1);
    assert_eq!(rest(&mut store), [1]);
}

#[test]
fn a_refused_message_is_saved_and_found_again_in_its_place() {
    let mut store = store([1, 2, 3]);
    refuse_next(&mut store);
    refuse_next(&mut store);
    assert!(store.has_saved());
    let mut cursor = Cursor::new(0);
    let first = store.next_saved(NUMBERS, &mut cursor).unwrap();
    assert_eq!(first.arrival, 1);
    assert!(first.place.is_some());
    // Lent: another receive passes it over.
    let other = store.next_saved(NUMBERS, &mut Cursor::new(0)).unwrap();
    assert_eq!(other.arrival, 2);
    store.refuse(other);
    store.refuse(first);
    assert_eq!(store.next_saved(NUMBERS, &mut cursor).unwrap().arrival, 2);
    assert!(store.next_saved(NUMBERS, &mut cursor).is_none());
    let again = store.next_saved(NUMBERS, &mut Cursor::new(0)).unwrap();
    assert_eq!(number(again.node), 1);
}

#[test]
fn a_taken_message_s_place_is_forgotten() {
    let mut store = store([1, 2]);
    refuse_next(&mut store);
    refuse_next(&mut store);
    let Candidate { node, place, .. } = store.next_saved(NUMBERS, &mut Cursor::new(0)).unwrap();
    assert_eq!(number(node), 1);
    store.forget(place.expect("it was saved"));
    assert!(store.has_saved());
    assert_eq!(rest(&mut store), [2]);
    assert!(!store.has_saved());
}

#[test]
fn the_oldest_is_a_saved_one_then_the_front_s_and_never_a_lent_one() {
    let mut store = store([1, 2, 3, 4]);
    for _ in 0..3 {
        refuse_next(&mut store);
    }
    let lent = store.next_saved(NUMBERS, &mut Cursor::new(0)).unwrap();
    let oldest = |store: &mut Store| store.take_oldest().map(number);
    assert_eq!(oldest(&mut store), Some(2));
    assert_eq!(oldest(&mut store), Some(3));
    assert_eq!(store.arrivals(), 3);
    assert_eq!(oldest(&mut store), Some(4));
    assert_eq!(store.arrivals(), 4, "it has left the front");
    assert_eq!(oldest(&mut store), None);
    store.refuse(lent);
    assert_eq!(oldest(&mut store), Some(1));
    assert!(!store.has_saved());
}

#[test]
fn all_that_is_left_comes_out_oldest_first() {
    let mut store = store([1, 2, 3, 4, 5]);
    for _ in 0..3 {
        refuse_next(&mut store);
    }
    let _lent = store.next_saved(NUMBERS, &mut Cursor::new(1)).unwrap();
    assert_eq!(rest(&mut store), [1, 3, 4, 5]);
    assert_eq!(rest(&mut store), [0u32; 0]);
    assert!(!store.has_front());
}

#[test]
fn the_first_exit_wins() {
    let mut store = Store::default();
    assert!(store.exit().is_none());
    store.decide_exit(ExitReason::Shutdown);
    store.decide_exit(ExitReason::Killed);
    assert_eq!(store.exit(), Some(&ExitReason::Shutdown));
}

#[test]
fn receives_with_wakers_of_their_own_come_and_go() {
    let mut store = Store::default();
    assert!(!store.has_waiters());
    let first = store.add_waiter(Waker::noop().clone());
    let second = store.add_waiter(Waker::noop().clone());
    assert_eq!(store.take_wakers().len(), 2);
    assert!(store.remove_waiter(first).is_some());
    assert!(store.remove_waiter(first).is_none());
    assert!(store.has_waiters());
    assert!(store.remove_waiter(second).is_some());
    assert!(!store.has_waiters());
}
