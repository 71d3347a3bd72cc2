//! What an actor is tied to: a block beside its record, made when it is first needed.
//!
//! * `[J1]` A tie that is accepted is told of the actor's end, once, unless it is taken
//!   back before.
//! * `[J2]` While both locks are free, A's block has a link to B exactly if B's has one
//!   to A, but for links whose signal is on its way. Links are made and cut with both locks
//!   held, the smaller pid's first.
//! * `[J3]` A link's number is the receiver's: a signal that comes through a link which
//!   the receiver has cut, or cut and made again, finds its number gone.
//! * `[J4]` The locks are held for a look-up or two. Nothing is delivered, and no code of
//!   a user's runs, while one is held.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::AddAssign;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use slab::Slab;

use super::{Pid, Process};

/// What goes when an actor goes.
pub(crate) trait Tied: Send + Sync {
    /// The actor has ended. Called once, with no lock held.
    fn target_ended(&self);
}

/// The block of one actor, or none.
pub(super) struct Ties {
    /// Null, [`ENDED`], or a block that lives as long as this.
    block: AtomicPtr<Mutex<Block>>,
}

/// The actor has ended and has had no block.
const ENDED: *mut Mutex<Block> = ptr::without_provenance_mut(1);

#[derive(Default)]
struct Block {
    ended: bool,
    timers: Slab<Arc<dyn Tied>>,
    /// Numbers that links and monitors have had.
    numbers: u64,
    links: BTreeMap<Pid, Link>,
    /// Monitors whose `Down` has not come yet, by number.
    watching: BTreeMap<u64, Pid>,
    /// Who monitors it, with the number of the watcher's.
    watchers: BTreeSet<(Pid, u64)>,
    /// What the record has had no room for.
    tally: Tally,
    /// Messages that it keeps, and those of them that are saved, at the end of its slice.
    kept: (usize, usize),
}

#[derive(Clone, Copy)]
struct Link {
    own: u64,
    peers: u64,
}

impl Block {
    fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }
}

/// What is left of an actor's ties when it has ended, to be told.
#[derive(Default)]
pub(crate) struct Cut {
    /// Linked actors, with their numbers of the links.
    pub(crate) links: Vec<(Pid, u64)>,
    /// Its own monitors.
    pub(crate) watching: Vec<(u64, Pid)>,
    pub(crate) watchers: Vec<(Pid, u64)>,
}

/// What an actor has done.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) slices: u64,
    pub(crate) reductions: u64,
}

/// From one word: slices in the high half, reductions in the low one.
impl From<u64> for Tally {
    fn from(word: u64) -> Tally {
        Tally {
            slices: word >> 32,
            reductions: word & u64::from(u32::MAX),
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, more: Tally) {
        self.slices += more.slices;
        self.reductions += more.reductions;
    }
}

/// What is known of an actor beyond its record.
#[derive(Default)]
pub(crate) struct Beyond {
    pub(crate) links: Vec<Pid>,
    pub(crate) monitors: Vec<Pid>,
    pub(crate) monitored_by: Vec<Pid>,
    pub(crate) tally: Tally,
    pub(crate) kept: usize,
    pub(crate) saved: usize,
}

fn lock(block: &Mutex<Block>) -> MutexGuard<'_, Block> {
    block.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Ties {
    pub(super) const fn new() -> Ties {
        Ties {
            block: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// The block if there is one.
    fn get(&self) -> Option<&Mutex<Block>> {
        let block = self.block.load(Ordering::Acquire);
        if block == ENDED {
            return None;
        }
        // SAFETY: a block is made by `make` and freed in `drop`.
        unsafe { block.as_ref() }
    }

    /// The block, new if need be; `None` when the actor has ended without.
    fn make(&self) -> Option<&Mutex<Block>> {
        if self.block.load(Ordering::Acquire).is_null() {
            let new = Box::into_raw(Box::default());
            let order = (Ordering::AcqRel, Ordering::Acquire);
            if self
                .block
                .compare_exchange(ptr::null_mut(), new, order.0, order.1)
                .is_err()
            {
                // SAFETY: it has been made here and nobody has seen it.
                drop(unsafe { Box::from_raw(new) });
            }
        }
        self.get()
    }

    /// Ties a timer. `None` when the actor has ended.
    pub(super) fn tie(&self, timer: Arc<dyn Tied>) -> Option<usize> {
        let mut block = lock(self.make()?);
        (!block.ended).then(|| block.timers.insert(timer))
    }

    /// Takes a tie back.
    pub(super) fn untie(&self, tie: usize) {
        let untied = self.get().and_then(|block| {
            let mut block = lock(block);
            let timer = block.timers.try_remove(tie);
            if block.timers.is_empty() && block.timers.capacity() > 16 {
                block.timers = Slab::new();
            }
            timer
        });
        drop(untied);
    }

    /// The actor has ended: nothing is tied to it any more. Timers are told; the rest is
    /// for the caller to tell, when the actor has left the table.
    pub(super) fn end(&self) -> Cut {
        let none = self.block.compare_exchange(
            ptr::null_mut(),
            ENDED,
            Ordering::AcqRel,
            Ordering::Acquire,
        );
        if none.is_ok() {
            return Cut::default();
        }
        let Some(block) = self.get() else {
            return Cut::default();
        };
        let left = {
            let mut block = lock(block);
            let ended = Block {
                ended: true,
                ..Block::default()
            };
            std::mem::replace(&mut *block, ended)
        };
        for (_, timer) in left.timers {
            timer.target_ended();
        }
        Cut {
            links: left
                .links
                .into_iter()
                .map(|(pid, l)| (pid, l.peers))
                .collect(),
            watching: left.watching.into_iter().collect(),
            watchers: left.watchers.into_iter().collect(),
        }
    }

    /// Counts what the record has no room for.
    #[cold]
    pub(super) fn count(&self, tally: Tally) {
        if let Some(block) = self.make() {
            lock(block).tally += tally;
        }
    }

    pub(super) fn report(&self, kept: (usize, usize)) {
        if let Some(block) = self.make() {
            lock(block).kept = kept;
        }
    }

    /// Messages that it keeps, and those of them that are saved, as its last slice said.
    pub(super) fn kept(&self) -> (usize, usize) {
        self.with(|block| block.kept).unwrap_or_default()
    }

    pub(super) fn beyond(&self) -> Beyond {
        let beyond = self.with(|block| Beyond {
            links: block.links.keys().copied().collect(),
            monitors: block.watching.values().copied().collect(),
            monitored_by: block.watchers.iter().map(|&(pid, _)| pid).collect(),
            tally: block.tally,
            kept: block.kept.0,
            saved: block.kept.1,
        });
        beyond.unwrap_or_default()
    }

    fn with<R>(&self, f: impl FnOnce(&mut Block) -> R) -> Option<R> {
        let mut block = lock(self.get()?);
        Some(f(&mut block))
    }
}

/// Locks two actors' blocks. `None` for one that has ended.
fn lock_both<'a>(
    a: &'a Process,
    b: &'a Process,
) -> (Option<MutexGuard<'a, Block>>, Option<MutexGuard<'a, Block>>) {
    let lock = |of: &'a Process| of.ties.make().map(lock).filter(|block| !block.ended);
    if a.pid() < b.pid() {
        let a = lock(a);
        (a, lock(b))
    } else {
        let b = lock(b);
        (lock(a), b)
    }
}

impl Process {
    /// Links two actors. Whether they were not yet; `None` when one of them is not there
    /// to be linked. (R21)
    pub(crate) fn link(&self, peer: &Process) -> Option<bool> {
        let (Some(mut own), Some(mut peers)) = lock_both(self, peer) else {
            return None;
        };
        let new = !own.links.contains_key(&peer.pid());
        if new {
            let (a, b) = (own.number(), peers.number());
            own.links.insert(peer.pid(), Link { own: a, peers: b });
            peers.links.insert(self.pid(), Link { own: b, peers: a });
        }
        Some(new)
    }

    /// Makes a link to a dead actor, for the signal that it gives. Its number.
    pub(crate) fn link_to_dead(&self, peer: Pid) -> Option<u64> {
        let mut own = lock(self.ties.make()?);
        let number = own.number();
        if own.ended {
            return None;
        }
        own.links.insert(
            peer,
            Link {
                own: number,
                peers: 0,
            },
        );
        Some(number)
    }

    /// Cuts the link with `peer`, which is there or not. Whether there was one.
    pub(crate) fn unlink(&self, pid: Pid, peer: Option<&Process>) -> bool {
        let Some(peer) = peer.filter(|_| self.ties.get().is_some()) else {
            let cut = self.ties.with(|own| own.links.remove(&pid)).flatten();
            return cut.is_some();
        };
        let (mut own, peers) = lock_both(self, peer);
        let cut = own.as_mut().and_then(|own| own.links.remove(&pid));
        if let Some(mut peers) = peers {
            peers.links.remove(&self.pid());
        }
        cut.is_some()
    }

    /// A signal has come through the link with this number. Whether that is still there;
    /// it is not after this.
    pub(crate) fn end_link(&self, peer: Pid, number: u64) -> bool {
        let ended = self.ties.with(|own| {
            let there = own.links.get(&peer).is_some_and(|link| link.own == number);
            if there {
                own.links.remove(&peer);
            }
            there
        });
        ended == Some(true)
    }

    /// Sets up a monitor of `target`. Its number; `None` when the caller has ended.
    pub(crate) fn watch(&self, target: Pid) -> Option<u64> {
        let mut own = lock(self.ties.make()?);
        if own.ended {
            return None;
        }
        let number = own.number();
        own.watching.insert(number, target);
        Some(number)
    }

    /// Says to a monitored actor who is to be told of its end. Whether it is there.
    pub(crate) fn be_watched(&self, watcher: Pid, number: u64) -> bool {
        let Some(block) = self.ties.make() else {
            return false;
        };
        let mut own = lock(block);
        !own.ended && own.watchers.insert((watcher, number))
    }

    /// Takes [`be_watched`](Self::be_watched) back.
    pub(crate) fn be_unwatched(&self, watcher: Pid, number: u64) {
        self.ties
            .with(|own| own.watchers.remove(&(watcher, number)));
    }

    /// Takes a monitor down. Its target, if its `Down` has not come.
    pub(crate) fn unwatch(&self, number: u64) -> Option<Pid> {
        self.ties.with(|own| own.watching.remove(&number)).flatten()
    }
}

impl Drop for Ties {
    fn drop(&mut self) {
        let block = *self.block.get_mut();
        if !block.is_null() && block != ENDED {
            // SAFETY: made by `make`, and nobody else has it any more.
            drop(unsafe { Box::from_raw(block) });
        }
    }
}

#[cfg(all(test, not(uproar_loom)))]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Tied for Count {
        fn target_ended(&self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    impl Count {
        fn get(&self) -> usize {
            self.0.load(Ordering::SeqCst)
        }
    }

    // [J1]
    #[test]
    fn each_tie_is_told_once_unless_taken_back() {
        let ties = Ties::new();
        let [kept, untied, late] = std::array::from_fn(|_| Arc::new(Count::default()));
        ties.tie(kept.clone()).expect("alive");
        let tie = ties.tie(untied.clone()).expect("alive");
        ties.untie(tie);
        ties.untie(tie);
        let _ = ties.end();
        assert_eq!(ties.tie(late.clone()), None);
        ties.end();
        ties.untie(0);
        assert_eq!((kept.get(), untied.get(), late.get()), (1, 0, 0));
        assert!(
            [&kept, &untied, &late]
                .iter()
                .all(|t| Arc::strong_count(t) == 1)
        );
    }

    #[test]
    fn an_actor_without_ties_ends_without_a_block() {
        let ties = Ties::new();
        ties.untie(0);
        ties.end();
        assert_eq!(ties.tie(Arc::new(Count::default())), None);
        assert_eq!(*Ties::new().block.get_mut(), ptr::null_mut());
    }
}
