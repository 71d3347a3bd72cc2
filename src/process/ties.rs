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
//! * `[J5]` The ties of an actor end once: of its own end and its giving up, one gets what
//!   was tied, and tells it.
//!
//! Checked by the models and tests in `ties/`, and by `tests/signals_model`. A name is a tie, too:
//! see `names`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::AddAssign;
use std::ptr;
use std::sync::{Arc, PoisonError};

use slab::Slab;

use super::{Pid, Process};
use crate::sync::{AtomicPtr, Mutex, MutexGuard, Ordering};

/// What goes when an actor goes.
pub(crate) trait Tied: Send + Sync {
    /// The actor has ended. Called once, with no lock held.
    fn target_ended(&self);
}

/// The block of one actor, or none.
pub(crate) struct Ties {
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
    /// The name that it has, and when it has ended the one that it has left.
    name: Option<Arc<str>>,
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
#[must_use]
pub(crate) struct Cut {
    pub(crate) timers: Slab<Arc<dyn Tied>>,
    /// Linked actors, with their numbers of the links.
    pub(crate) links: Vec<(Pid, u64)>,
    /// Its own monitors.
    pub(crate) watching: Vec<(u64, Pid)>,
    pub(crate) watchers: Vec<(Pid, u64)>,
    /// It has a name, for its end to give back: see [`Process::left_name`].
    pub(crate) named: bool,
}

impl Cut {
    /// Tells the timers, whose messages of the user's are dropped by that.
    pub(crate) fn tell_timers(&mut self) {
        for (_, timer) in std::mem::take(&mut self.timers) {
            timer.target_ended();
        }
    }
}

/// Why an actor can't be given a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Unnamable {
    /// It has ended.
    Dead,
    /// It has this one.
    Named(Arc<str>),
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
    pub(crate) name: Option<Arc<str>>,
    pub(crate) tally: Tally,
    pub(crate) kept: usize,
    pub(crate) saved: usize,
}

fn lock(block: &Mutex<Block>) -> MutexGuard<'_, Block> {
    block.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Ties {
    pub(super) fn new() -> Ties {
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

    /// The actor has ended: nothing is tied to it any more. What was, for the caller to
    /// tell; `None` if it had ended before [J5].
    pub(super) fn end(&self) -> Option<Cut> {
        let none = self.block.compare_exchange(
            ptr::null_mut(),
            ENDED,
            Ordering::AcqRel,
            Ordering::Acquire,
        );
        if none.is_ok() {
            return Some(Cut::default());
        }
        let (left, named) = {
            let mut block = lock(self.get()?);
            if block.ended {
                return None;
            }
            let ended = Block {
                ended: true,
                name: block.name.take(),
                ..Block::default()
            };
            let named = ended.name.is_some();
            (std::mem::replace(&mut *block, ended), named)
        };
        let links = left.links.into_iter();
        Some(Cut {
            timers: left.timers,
            links: links.map(|(pid, link)| (pid, link.peers)).collect(),
            watching: left.watching.into_iter().collect(),
            watchers: left.watchers.into_iter().collect(),
            named,
        })
    }

    /// Counts what the record has no room for.
    #[cold]
    pub(super) fn count(&self, tally: Tally) {
        if let Some(block) = self.make() {
            lock(block).tally += tally;
        }
    }

    /// Gives it a name, if it has none and has not ended.
    pub(super) fn take_name(&self, name: &Arc<str>) -> Result<(), Unnamable> {
        let mut own = lock(self.make().ok_or(Unnamable::Dead)?);
        match &own.name {
            _ if own.ended => Err(Unnamable::Dead),
            Some(name) => Err(Unnamable::Named(Arc::clone(name))),
            None => {
                own.name = Some(Arc::clone(name));
                Ok(())
            }
        }
    }

    /// Takes its name from it.
    pub(super) fn lose_name(&self) -> Option<Arc<str>> {
        self.with(|own| own.name.take()).flatten()
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
            name: block.name.clone(),
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

/// One side of a link that is made or cut.
type Side<'a> = (Pid, &'a Ties);

/// Locks two actors' blocks. `None` for one that has ended.
fn lock_both<'a>(
    a: Side<'a>,
    b: Side<'a>,
) -> (Option<MutexGuard<'a, Block>>, Option<MutexGuard<'a, Block>>) {
    debug_assert_ne!(a.0, b.0, "an actor is not linked with itself");
    let lock = |of: Side<'a>| of.1.make().map(lock).filter(|block| !block.ended);
    if a.0 < b.0 {
        let a = lock(a);
        (a, lock(b))
    } else {
        let b = lock(b);
        (lock(a), b)
    }
}

/// Links two actors. Whether they were not yet; `None` when one of them is not there to be
/// linked.
fn link(own: Side<'_>, peer: Side<'_>) -> Option<bool> {
    let (Some(mut owns), Some(mut peers)) = lock_both(own, peer) else {
        return None;
    };
    let new = !owns.links.contains_key(&peer.0);
    if new {
        let (a, b) = (owns.number(), peers.number());
        owns.links.insert(peer.0, Link { own: a, peers: b });
        peers.links.insert(own.0, Link { own: b, peers: a });
    }
    Some(new)
}

/// Cuts the link of two actors, if `own` has one. Whether it had.
///
/// What the peer alone has is a link whose signal is on its way to it [J2]: that is not
/// `own`'s to cut, which has ended for the peer.
fn unlink(own: Side<'_>, peer: Side<'_>) -> bool {
    let (Some(mut owns), peers) = lock_both(own, peer) else {
        return false;
    };
    let cut = owns.links.remove(&peer.0).is_some();
    if cut && let Some(mut peers) = peers {
        peers.links.remove(&own.0);
    }
    cut
}

impl Ties {
    /// Makes a link to a dead actor, for the signal that it gives. Its number; `None` when
    /// there is a link, whose signal is on its way, or the caller has ended.
    fn link_to_dead(&self, peer: Pid) -> Option<u64> {
        let mut own = lock(self.make()?);
        if own.ended || own.links.contains_key(&peer) {
            return None;
        }
        let number = own.number();
        let link = Link {
            own: number,
            peers: 0,
        };
        own.links.insert(peer, link);
        Some(number)
    }

    fn end_link(&self, peer: Pid, number: u64) -> bool {
        let ended = self.with(|own| {
            let there = own.links.get(&peer).is_some_and(|link| link.own == number);
            if there {
                own.links.remove(&peer);
            }
            there
        });
        ended == Some(true)
    }

    fn watch(&self, target: Pid) -> Option<u64> {
        let mut own = lock(self.make()?);
        if own.ended {
            return None;
        }
        let number = own.number();
        own.watching.insert(number, target);
        Some(number)
    }

    fn unwatch(&self, number: u64) -> Option<Pid> {
        self.with(|own| own.watching.remove(&number)).flatten()
    }

    fn be_watched(&self, watcher: Pid, number: u64) -> bool {
        let Some(block) = self.make() else {
            return false;
        };
        let mut own = lock(block);
        !own.ended && own.watchers.insert((watcher, number))
    }

    fn be_unwatched(&self, watcher: Pid, number: u64) {
        self.with(|own| own.watchers.remove(&(watcher, number)));
    }
}

/// Has a monitor that `own` has set up be known to its target. Whether that is there.
fn watch(own: Side<'_>, number: u64, target: &Ties) -> bool {
    if !target.be_watched(own.0, number) {
        return false;
    }
    if own.1.with(|own| own.ended) == Some(true) {
        // Whoever has given the watcher up may have taken its monitors down before.
        target.be_unwatched(own.0, number);
    }
    true
}

impl Process {
    fn side(&self) -> Side<'_> {
        (self.pid(), &self.ties)
    }

    /// Links two actors. Whether they were not yet; `None` when one of them is not there to
    /// be linked. (R21)
    pub(crate) fn link(&self, peer: &Process) -> Option<bool> {
        link(self.side(), peer.side())
    }

    /// Makes a link to a dead actor, for the signal that it gives. Its number; `None` when
    /// there is a link already, or the caller has ended.
    pub(crate) fn link_to_dead(&self, peer: Pid) -> Option<u64> {
        self.ties.link_to_dead(peer)
    }

    /// Cuts the link with `peer`, which is there or not. Whether there was one.
    pub(crate) fn unlink(&self, pid: Pid, peer: Option<&Process>) -> bool {
        match peer.filter(|_| self.ties.get().is_some()) {
            Some(peer) => unlink(self.side(), peer.side()),
            None => {
                let cut = self.ties.with(|own| own.links.remove(&pid)).flatten();
                cut.is_some()
            }
        }
    }

    /// A signal has come through the link with this number. Whether that is still there;
    /// it is not after this.
    pub(crate) fn end_link(&self, peer: Pid, number: u64) -> bool {
        self.ties.end_link(peer, number)
    }

    /// Sets up a monitor of `target`. Its number; `None` when the caller has ended.
    pub(crate) fn watch(&self, target: Pid) -> Option<u64> {
        self.ties.watch(target)
    }

    /// Says to a monitored actor who is to be told of its end: a monitor that this one has
    /// set up. Whether the other is there.
    pub(crate) fn watch_at(&self, number: u64, target: &Process) -> bool {
        watch(self.side(), number, &target.ties)
    }

    /// Takes [`watch_at`](Self::watch_at) back.
    pub(crate) fn be_unwatched(&self, watcher: Pid, number: u64) {
        self.ties.be_unwatched(watcher, number);
    }

    /// Takes a monitor down. Its target, if its `Down` has not come.
    pub(crate) fn unwatch(&self, number: u64) -> Option<Pid> {
        self.ties.unwatch(number)
    }
}

impl Drop for Ties {
    fn drop(&mut self) {
        let block = self.block.load(Ordering::Acquire);
        if !block.is_null() && block != ENDED {
            // SAFETY: made by `make`, and nobody else has it any more.
            drop(unsafe { Box::from_raw(block) });
        }
    }
}

#[cfg(all(test, uproar_loom))]
#[path = "ties/models.rs"]
mod loom_models;

#[cfg(all(test, not(uproar_loom)))]
#[path = "ties/tests.rs"]
mod tests;
