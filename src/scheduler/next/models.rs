//! The next slot in every order of its steps: its worker and two thieves. [K1] [K4]

use std::sync::Arc;

use loom::alloc::Track;
use loom::cell::UnsafeCell;
use loom::thread;

use super::{Next, Thin};
use crate::sync::explore;

/// A task whose content is written by who fills the slot and read by who gets it.
struct Item(Box<Track<UnsafeCell<u32>>>);

impl Item {
    fn new(number: u32) -> Item {
        Item(Box::new(Track::new(UnsafeCell::new(number))))
    }

    fn open(self) -> u32 {
        // A write: two that got the same item race.
        self.0
            .get_ref()
            // SAFETY: the slot gave it to one thread; loom would see another.
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

fn thief(next: &Arc<Next<Item>>) -> thread::JoinHandle<Option<u32>> {
    let next = next.clone();
    thread::spawn(move || next.rob().map(Item::open))
}

#[test]
fn loom_each_task_is_given_out_once() {
    explore(3, || {
        let next = Arc::new(Next::new());
        let thieves = [thief(&next), thief(&next)];
        let mut seen = Vec::new();
        seen.extend(next.fill(Item::new(1), false).map(|(item, _)| item.open()));
        seen.extend(next.fill(Item::new(2), false).map(|(item, _)| item.open()));
        seen.extend(next.take().map(Item::open));
        for thief in thieves {
            seen.extend(thief.join().unwrap());
        }
        seen.sort_unstable();
        assert_eq!(seen, [1, 2]);
    });
}

#[test]
fn loom_a_pinned_task_stays_with_its_worker() {
    explore(3, || {
        let next = Arc::new(Next::new());
        let thief = thief(&next);
        let mut own = Vec::new();
        own.extend(
            next.fill(Item::new(1), false)
                .map(|(item, pinned)| (item.open(), pinned)),
        );
        own.extend(
            next.fill(Item::new(2), true)
                .map(|(item, pinned)| (item.open(), pinned)),
        );
        own.extend(
            next.fill(Item::new(3), false)
                .map(|(item, pinned)| (item.open(), pinned)),
        );
        own.extend(next.take().map(|item| (item.open(), false)));
        let stolen = thief.join().unwrap();
        assert!(own.contains(&(2, true)), "[K4]");
        assert!(stolen != Some(2));
        assert_eq!(own.len() + usize::from(stolen.is_some()), 3, "[K1]");
    });
}
