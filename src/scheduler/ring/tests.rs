//! The ring on one thread against a plain queue, and on several by count.

use std::collections::VecDeque;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::{Ring, SLOTS, THEFT, Thin};
use crate::scheduler::Rng;

#[derive(Debug, PartialEq)]
struct Number(usize);

impl Thin for Number {
    fn into_raw(self) -> *mut () {
        ptr::without_provenance_mut(self.0)
    }

    unsafe fn from_raw(raw: *mut ()) -> Self {
        Number(raw.addr())
    }
}

fn popped(ring: &Ring<Number>, most: usize) -> Vec<usize> {
    let mut popped = Vec::new();
    ring.pop_many(most, |Number(n)| popped.push(n));
    popped
}

fn loot(ring: &Ring<Number>, most: usize) -> Vec<usize> {
    let mut loot = Vec::new();
    let count = ring.steal(most, |Number(n)| loot.push(n));
    assert_eq!(count, loot.len());
    loot
}

#[test]
fn it_is_a_queue_of_so_many() {
    for start in [0, 5, u32::MAX - 3] {
        let ring = Ring::starting_at(start);
        assert_eq!(ring.pop(), None);
        for n in 0..SLOTS {
            assert_eq!(ring.push(Number(n)), Ok(()));
        }
        assert_eq!(ring.push(Number(SLOTS)), Err(Number(SLOTS)));
        assert_eq!(ring.len(), SLOTS);
        for n in 0..SLOTS {
            assert_eq!(ring.pop(), Some(Number(n)));
        }
        assert_eq!(ring.pop(), None);
        assert_eq!(ring.len(), 0);
    }
}

#[test]
fn a_theft_takes_the_older_half_and_at_most_so_many() {
    for (len, taken) in [(0, 0), (1, 1), (2, 1), (3, 2), (10, 5), (SLOTS, THEFT)] {
        let ring = Ring::starting_at(u32::MAX - 2);
        for n in 0..len {
            ring.push(Number(n)).unwrap();
        }
        assert_eq!(loot(&ring, SLOTS), (0..taken).collect::<Vec<_>>());
        assert_eq!(ring.len(), len - taken);
        assert_eq!(ring.pop(), (taken < len).then_some(Number(taken)));
    }
    let ring = Ring::starting_at(0);
    for n in 0..10 {
        ring.push(Number(n)).unwrap();
    }
    assert_eq!(loot(&ring, 2), [0, 1]);
}

#[test]
fn it_does_what_a_plain_queue_does() {
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        let ring = Ring::starting_at(rng.next() as u32);
        let mut model = VecDeque::new();
        for n in 0..20_000 {
            // Phases that fill and phases that empty, so that both ends are met.
            let fills = (n / 500) % 2 == 0;
            match rng.below(if fills { 5 } else { 12 }) {
                0..=3 => {
                    let pushed = ring.push(Number(n)).is_ok();
                    assert_eq!(pushed, model.len() < SLOTS);
                    if pushed {
                        model.push_back(n);
                    }
                }
                4..=8 => assert_eq!(ring.pop().map(|Number(n)| n), model.pop_front()),
                9 => {
                    let most = rng.below(SLOTS);
                    let count = model.len().min(most);
                    let expected: Vec<usize> = model.drain(..count).collect();
                    assert_eq!(popped(&ring, most), expected);
                }
                _ => {
                    let most = 1 + rng.below(SLOTS);
                    let count = model.len().div_ceil(2).min(most).min(THEFT);
                    let expected: Vec<usize> = model.drain(..count).collect();
                    assert_eq!(loot(&ring, most), expected);
                }
            }
            assert_eq!(ring.len(), model.len());
        }
    }
}

#[test]
fn what_is_left_is_dropped_with_it() {
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    struct Counted;
    impl Drop for Counted {
        fn drop(&mut self) {
            DROPS.fetch_add(1, Ordering::Relaxed);
        }
    }
    impl Thin for Counted {
        fn into_raw(self) -> *mut () {
            std::mem::forget(self);
            ptr::without_provenance_mut(1)
        }

        unsafe fn from_raw(_: *mut ()) -> Self {
            Counted
        }
    }
    let ring = Ring::starting_at(0);
    for _ in 0..5 {
        assert!(ring.push(Counted).is_ok());
    }
    drop(ring.pop());
    assert_eq!(DROPS.load(Ordering::Relaxed), 1);
    drop(ring);
    assert_eq!(DROPS.load(Ordering::Relaxed), 5);
}

#[test]
fn thieves_on_threads_lose_and_double_nothing() {
    const COUNT: usize = 100_000;
    let ring = &Ring::starting_at(u32::MAX - 1000);
    let seen: &[AtomicUsize] = &(0..COUNT).map(|_| AtomicUsize::new(0)).collect::<Vec<_>>();
    let done = &AtomicBool::new(false);
    let see = |Number(n): Number| {
        seen[n].fetch_add(1, Ordering::Relaxed);
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(move || {
                while !done.load(Ordering::Acquire) {
                    if ring.steal(THEFT, see) == 0 {
                        std::thread::yield_now();
                    }
                }
            });
        }
        for n in 0..COUNT {
            let mut item = Number(n);
            while let Err(back) = ring.push(item) {
                item = back;
                ring.pop().into_iter().for_each(see);
            }
            if n % 3 == 0 {
                ring.pop().into_iter().for_each(see);
            } else if n % 1000 == 1 {
                ring.pop_many(SLOTS / 2, see);
            }
        }
        while let Some(item) = ring.pop() {
            see(item);
        }
        done.store(true, Ordering::Release);
    });
    assert!(seen.iter().all(|n| n.load(Ordering::Relaxed) == 1));
}
