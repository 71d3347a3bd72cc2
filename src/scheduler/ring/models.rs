//! The ring in every order of its steps: one worker, up to two thieves. [Q1] [Q2] [Q3]

use std::sync::Arc;

use loom::alloc::Track;
use loom::cell::UnsafeCell;
use loom::thread;

use super::{Ring, SLOTS, THEFT, Thin};
use crate::sync::explore;

/// A task whose content is written by who pushes it and read by who gets it, with
/// nothing but the ring between them.
struct Item(Box<Track<UnsafeCell<u32>>>);

impl Item {
    fn new(number: u32) -> Item {
        Item(Box::new(Track::new(UnsafeCell::new(number))))
    }

    fn open(self) -> u32 {
        // A write: two that got the same item race.
        self.0
            .get_ref()
            // SAFETY: the ring gave it to one thread; loom would see another.
            .with_mut(|n| unsafe { std::mem::replace(&mut *n, u32::MAX) })
    }
}

impl Thin for Item {
    fn into_raw(self) -> *mut () {
        Box::into_raw(self.0).cast()
    }

    unsafe fn from_raw(raw: *mut ()) -> Self {
        // SAFETY: by the contract.
        Item(unsafe { Box::from_raw(raw.cast()) })
    }
}

/// A ring whose positions are about to wrap round, and in which there are items
/// `0..filled`.
fn ring(filled: u32) -> Arc<Ring<Item>> {
    let ring = Ring::starting_at(u32::MAX - 1);
    for number in 0..filled {
        assert!(ring.push(Item::new(number)).is_ok());
    }
    Arc::new(ring)
}

fn steal(ring: &Ring<Item>) -> Vec<u32> {
    let mut loot = Vec::new();
    let count = ring.steal(THEFT, |item| loot.push(item.open()));
    assert_eq!(count, loot.len());
    assert!(loot.is_sorted(), "oldest first");
    loot
}

fn thief(ring: &Arc<Ring<Item>>) -> thread::JoinHandle<Vec<u32>> {
    let ring = ring.clone();
    thread::spawn(move || steal(&ring))
}

fn push(ring: &Ring<Item>, number: u32, kept: &mut Vec<u32>) {
    if let Err(item) = ring.push(Item::new(number)) {
        // Full: the worker would put it into its inbox.
        kept.push(item.open());
    }
}

fn pop(ring: &Ring<Item>, kept: &mut Vec<u32>) {
    kept.extend(ring.pop().map(Item::open));
}

/// [Q1] for `0..count`.
fn assert_all_once(ring: &Ring<Item>, mut seen: Vec<u32>, count: u32) {
    while let Some(item) = ring.pop() {
        seen.push(item.open());
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..count).collect::<Vec<_>>());
    assert_eq!(ring.len(), 0);
}

#[test]
fn a_worker_and_two_thieves_share_out_each_item_once() {
    explore(3, || {
        let ring = ring(3);
        let thieves = [thief(&ring), thief(&ring)];
        let mut seen = Vec::new();
        pop(&ring, &mut seen);
        push(&ring, 3, &mut seen);
        pop(&ring, &mut seen);
        push(&ring, 4, &mut seen);
        for thief in thieves {
            seen.extend(thief.join().unwrap());
        }
        assert_all_once(&ring, seen, 5);
    });
}

#[test]
fn a_full_ring_wraps_round_under_a_thief() {
    explore(3, || {
        let ring = ring(SLOTS as u32);
        let thief = thief(&ring);
        let mut seen = Vec::new();
        for number in SLOTS as u32..SLOTS as u32 + 3 {
            push(&ring, number, &mut seen);
            pop(&ring, &mut seen);
        }
        seen.extend(thief.join().unwrap());
        assert_all_once(&ring, seen, SLOTS as u32 + 3);
    });
}

#[test]
fn a_worker_that_takes_several_shares_with_two_thieves() {
    explore(3, || {
        let ring = ring(SLOTS as u32);
        let thieves = [thief(&ring), thief(&ring)];
        let mut seen = Vec::new();
        ring.pop_many(2, |item| seen.push(item.open()));
        assert!(seen.is_sorted(), "oldest first");
        push(&ring, SLOTS as u32, &mut seen);
        ring.pop_many(SLOTS, |item| seen.push(item.open()));
        for thief in thieves {
            seen.extend(thief.join().unwrap());
        }
        assert_all_once(&ring, seen, SLOTS as u32 + 1);
    });
}

#[test]
fn a_thief_that_comes_again_finds_what_was_pushed_meanwhile() {
    explore(3, || {
        let ring = ring(0);
        let thief = {
            let ring = ring.clone();
            thread::spawn(move || {
                let mut loot = steal(&ring);
                loot.extend(steal(&ring));
                loot
            })
        };
        let mut seen = Vec::new();
        for number in 0..3 {
            push(&ring, number, &mut seen);
        }
        pop(&ring, &mut seen);
        seen.extend(thief.join().unwrap());
        assert_all_once(&ring, seen, 3);
    });
}

#[test]
fn two_thieves_get_different_items_while_the_worker_pops() {
    explore(3, || {
        let ring = ring(4);
        let thieves = [thief(&ring), thief(&ring)];
        let mut seen = Vec::new();
        for _ in 0..3 {
            pop(&ring, &mut seen);
        }
        for thief in thieves {
            seen.extend(thief.join().unwrap());
        }
        assert_all_once(&ring, seen, 4);
    });
}

#[test]
fn the_last_item_goes_to_one() {
    explore(3, || {
        let ring = ring(1);
        let thieves = [thief(&ring), thief(&ring)];
        let mut seen = Vec::new();
        pop(&ring, &mut seen);
        for thief in thieves {
            seen.extend(thief.join().unwrap());
        }
        assert_eq!(seen, [0]);
        assert_eq!(ring.len(), 0);
    });
}
