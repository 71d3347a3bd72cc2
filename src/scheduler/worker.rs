//! One worker: its queues, and what it takes from them next.
//!
//! ```text
//!   next slot    what was woken or spawned last, by the actor that runs
//!   ring         runnable actors; others steal from it
//!   backlog      what the ring has no room for, in blocks
//!   inbox        put in by other threads
//!   pinned       put in by anyone, taken by this worker only
//! ```
//!
//! `[K1]` and `[K4]` are the next slot's own.
//!
//! * `[K2]` The next slot is taken at most [`CHAIN`] times and for one tick of the
//!   watch in a row before the queues get a turn, so two actors that wake each
//!   other starve nobody.
//! * `[K3]` Every [`INBOX_TURN`]th slice is taken from the inbox if that has
//!   something, and every [`PINNED_TURN`]th from pinned, so neither starves nor
//!   is starved by the ring. After [`BLOCK_TURN`] slices without one, a block of the
//!   backlog goes first.
//! * `[K5]` A task that one queued task after the other wakes, and before others, waits in
//!   the next slot from the second time on, until they have spent [`PATIENCE`] reductions.

use std::cell::{Cell, UnsafeCell};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use super::backlog::Backlog;
use super::counts::Counts;
use super::idle::Parker;
use super::inbox::Inbox;
use super::next::Next;
use super::ring::{Ring, SLOTS, THEFT};
use super::rng::Rng;
use super::task::Task;
use crate::process::{Pid, Process};
use crate::sync::CachePadded;

/// How often in a row the next slot goes first. Long, because running what was
/// woken last, while its message is in the cache, is the fast way; bounded, so
/// that queued actors wait for so many slices at most.
const CHAIN: u32 = 4096;

/// Reductions that queued actors may spend before one that each of them wakes gets its next
/// turn: several messages for the price of one slice, and they are still in the cache.
/// Bounded by reductions, so that those who send much don't fill its mailbox meanwhile.
/// Measured as in `pool/slabs`: one worker 199 and 185 ns, two 222 and 179.
const PATIENCE: i64 = 64;

const INBOX_TURN: u32 = 8;
const PINNED_TURN: u32 = 5;

/// How long the ring may go before the backlog: as often as it takes to empty it.
const BLOCK_TURN: u32 = SLOTS as u32;

/// What moves from the inbox to the ring at once.
const REFILL: usize = 64;

pub(crate) struct Worker {
    pub(crate) index: usize,
    ring: Ring,
    backlog: Backlog,
    inbox: Inbox,
    pinned: Inbox,
    next: CachePadded<Next>,
    /// The watch has seen one slice for too long: thieves may take the next slot.
    pub(crate) stuck: AtomicBool,
    pub(crate) parker: Parker,
    pub(crate) counts: CachePadded<Counts>,
    pub(super) local: Local,
}

/// What only the worker's own thread touches.
pub(super) struct Local {
    /// Slices until the next turn of the other queues.
    turn: Cell<u32>,
    /// The turn that took a block of the backlog last, or found none.
    block_turn: Cell<u32>,
    /// Slices taken from the next slot in a row, and when the first was.
    chain: Cell<u32>,
    chain_epoch: Cell<u64>,
    /// What runs came from a queue, and has woken nobody yet.
    queued: Cell<bool>,
    /// What the last such task has woken first.
    woken: Cell<*const ()>,
    woken_pid: Cell<Option<Pid>>,
    /// What is in the next slot waits, and the reductions that others may spend meanwhile.
    put_off: Cell<bool>,
    patience: Cell<i64>,
    rng: UnsafeCell<Rng>,
}

// SAFETY: `local` is touched by the worker's thread only; on the manual driver by
// the thread that ticks, one at a time, as its lock says.
unsafe impl Sync for Worker {}
// SAFETY: everything in it is `Send`.
unsafe impl Send for Worker {}

impl Local {
    /// Draws a number below `n`.
    pub(super) fn random(&self, n: usize) -> usize {
        // SAFETY: one thread, and no reference leaves this call.
        unsafe { (*self.rng.get()).below(n) }
    }
}

impl Worker {
    pub(crate) fn new(index: usize, seed: u64) -> Worker {
        Worker {
            index,
            ring: Ring::new(),
            backlog: Backlog::new(),
            inbox: Inbox::new(),
            pinned: Inbox::new(),
            next: CachePadded(Next::new()),
            stuck: AtomicBool::new(false),
            parker: Parker::new(),
            counts: CachePadded(Counts::default()),
            local: Local {
                turn: Cell::new(0),
                block_turn: Cell::new(0),
                chain: Cell::new(0),
                chain_epoch: Cell::new(0),
                queued: Cell::new(false),
                woken: Cell::new(ptr::null()),
                woken_pid: Cell::new(None),
                put_off: Cell::new(false),
                patience: Cell::new(0),
                rng: UnsafeCell::new(Rng::new(seed)),
            },
        }
    }

    /// Makes a task the one to run next. Returns whether another had to go to a
    /// queue for it, where a helper could take it. For the worker.
    #[inline]
    pub(super) fn put_next(&self, task: Task) -> bool {
        let pinned = task.is_pinned();
        let put_off = self.local.queued.take() && self.is_woken_again(&task);
        self.local.put_off.set(put_off);
        match self.next.fill(task, pinned) {
            None => false,
            Some((before, pinned)) => self.queue(before, pinned),
        }
    }

    /// Takes the next slot's task. For the worker.
    #[inline]
    pub(super) fn take_next(&self) -> Option<Task> {
        self.next.take()
    }

    /// Puts a task at the back. Whether a helper could take it. For the worker.
    #[inline]
    pub(super) fn push_back(&self, task: Task) -> bool {
        let pinned = task.is_pinned();
        self.queue(task, pinned)
    }

    #[inline]
    fn queue(&self, task: Task, pinned: bool) -> bool {
        if pinned {
            self.push_pinned(task);
            return false;
        }
        if let Err(task) = self.ring.push(task) {
            self.overflow(task);
        }
        true
    }

    /// The ring is full: the older half of it moves to the backlog.
    #[cold]
    fn overflow(&self, task: Task) {
        for _ in 0..SLOTS / 2 / THEFT {
            let mut block = Vec::with_capacity(THEFT);
            self.ring.pop_many(THEFT, |older| block.push(older));
            if !block.is_empty() {
                self.backlog.push(block);
            }
        }
        if let Err(task) = self.ring.push(task) {
            // A thief is copying still, so the places are not free.
            self.push_inbox(task);
        }
    }

    /// Puts a task into the inbox, from any thread.
    pub(super) fn push_inbox(&self, task: Task) {
        self.inbox.push(task);
    }

    /// Puts a pinned task into its queue, from any thread.
    pub(super) fn push_pinned(&self, task: Task) {
        self.pinned.push(task);
    }

    /// What to run now. For the worker.
    #[inline]
    pub(super) fn pick(&self, epoch: u64) -> Option<Task> {
        if !self.local.put_off.get()
            && self.may_chain(epoch)
            && let Some(task) = self.take_next()
        {
            self.local.queued.set(false);
            return Some(task);
        }
        self.pick_turn(epoch)
    }

    /// The same where the queues get a turn.
    fn pick_turn(&self, epoch: u64) -> Option<Task> {
        self.start_chain(epoch);
        self.local.queued.set(false);
        if self.local.put_off.get() && self.local.patience.get() <= 0 {
            self.local.put_off.set(false);
            if let Some(task) = self.take_next() {
                return Some(task);
            }
        }
        let Some(queued) = self.pick_queued() else {
            self.local.put_off.set(false);
            return self.take_next();
        };
        self.local.queued.set(true);
        // [K2] The displaced task goes behind the queues only when they have had their
        // turn, or it would take the turn itself.
        if !self.local.put_off.get()
            && let Some(task) = self.take_next()
        {
            self.push_back(task);
        }
        Some(queued)
    }

    /// Whether the first task that a queued one wakes is the one that was that before. Another
    /// may have its address by now, and that is to decide nothing under a seed.
    #[inline]
    fn is_woken_again(&self, task: &Task) -> bool {
        let (address, pid) = (task.address(), task.with(Process::pid));
        if address == self.local.woken.get() && self.local.woken_pid.get() == Some(pid) {
            self.local.patience.set(PATIENCE);
            return true;
        }
        self.local.woken.set(address);
        self.local.woken_pid.set(Some(pid));
        false
    }

    /// A slice has cost so much.
    #[inline]
    pub(super) fn spend(&self, reductions: i64) {
        self.local
            .patience
            .set(self.local.patience.get() - reductions);
    }

    #[inline]
    fn may_chain(&self, epoch: u64) -> bool {
        let chain = self.local.chain.get();
        self.local.chain.set(chain + 1);
        chain < CHAIN && epoch.wrapping_sub(self.local.chain_epoch.get()) < 2
    }

    fn start_chain(&self, epoch: u64) {
        self.local.chain.set(0);
        self.local.chain_epoch.set(epoch);
    }

    fn pick_queued(&self) -> Option<Task> {
        let turn = self.local.turn.get().wrapping_add(1);
        self.local.turn.set(turn);
        if turn.is_multiple_of(PINNED_TURN)
            && let Some(task) = self.pinned.pop()
        {
            return Some(task);
        }
        if turn.is_multiple_of(INBOX_TURN)
            && let Some(task) = self.inbox.pop()
        {
            return Some(task);
        }
        if turn.wrapping_sub(self.local.block_turn.get()) < BLOCK_TURN
            && let Some(task) = self.ring.pop()
        {
            return Some(task);
        }
        self.local.block_turn.set(turn);
        if let Some(block) = self.backlog.pop() {
            let mut block = block.into_iter();
            let first = block.next();
            block.for_each(|task| {
                self.queue(task, false);
            });
            return first;
        }
        if let Some(task) = self.ring.pop() {
            return Some(task);
        }
        if let Some(task) = self.inbox.pop() {
            for _ in 1..REFILL.min(self.inbox.len()) {
                let Some(more) = self.inbox.pop() else { break };
                if let Err(more) = self.ring.push(more) {
                    self.push_inbox(more);
                    break;
                }
            }
            return Some(task);
        }
        self.pinned.pop()
    }

    /// Takes half of what another worker has queued, at most [`THEFT`] tasks, and
    /// returns one of them, and how many there were. The cost is the same whatever the
    /// other's backlog.
    pub(super) fn steal_from(&self, victim: &Worker) -> Option<(Task, usize)> {
        let mut first = None;
        let mut count = 0;
        let mut keep = |task: Task| {
            count += 1;
            if first.is_none() {
                first = Some(task);
            } else {
                self.queue(task, false);
            }
        };
        if let Some(block) = victim.backlog.pop() {
            block.into_iter().for_each(keep);
        } else if victim.ring.steal(THEFT, &mut keep) == 0 {
            let len = victim.inbox.len();
            for _ in 0..(len - len / 2).min(THEFT) {
                let Some(task) = victim.inbox.pop() else {
                    break;
                };
                keep(task);
            }
        }
        if first.is_none() && victim.stuck.load(Ordering::Acquire) {
            first = victim.next.rob();
            count += usize::from(first.is_some());
        }
        self.local.queued.set(true);
        if count > 0 {
            self.counts.steals.add(count as u64);
            victim.counts.stolen.add_shared(count as u64);
        }
        Some((first?, count))
    }

    /// Whether more than one task is in line.
    #[inline]
    pub(super) fn has_queue(&self) -> bool {
        self.ring.len() > 1 || !self.backlog.is_empty() || !self.inbox.is_empty()
    }

    /// Tasks that others may take. A hint.
    pub(crate) fn runnable(&self) -> usize {
        self.ring.len()
            + self.backlog.len()
            + self.inbox.len()
            + usize::from(self.next.is_stealable())
    }

    /// Pinned tasks in line. Exact while none comes or goes.
    pub(crate) fn pinned_runnable(&self) -> usize {
        self.pinned.len() + usize::from(self.next.has_pinned())
    }

    fn is_empty_but_next(&self) -> bool {
        self.ring.len() == 0
            && self.backlog.is_empty()
            && self.inbox.is_empty()
            && self.pinned.is_empty()
    }

    /// Whether a thief would find something here. A hint.
    pub(super) fn is_stealable(&self) -> bool {
        self.ring.len() > 0
            || !self.backlog.is_empty()
            || !self.inbox.is_empty()
            || (self.stuck.load(Ordering::Acquire) && self.next.is_stealable())
    }

    /// Whether there is something for the worker itself.
    pub(super) fn has_work(&self) -> bool {
        !self.next.is_empty() || !self.is_empty_but_next()
    }

    /// Turns the queues a little, so that another actor comes first. Only the
    /// manual driver does.
    pub(super) fn rotate(&self) {
        if let Some(next) = self.take_next() {
            self.push_back(next);
        }
        let len = self.ring.len();
        if len > 1 {
            for _ in 0..self.local.random(len.min(16)) {
                if let Some(task) = self.ring.pop() {
                    self.push_back(task);
                }
            }
        }
    }

    /// Takes everything out, for an end without running.
    pub(crate) fn clear(&self) -> Vec<Task> {
        let mut all = Vec::new();
        all.extend(self.take_next());
        while let Some(task) = self.ring.pop() {
            all.push(task);
        }
        all.extend(std::iter::from_fn(|| self.backlog.pop()).flatten());
        all.extend(std::iter::from_fn(|| self.inbox.pop()));
        all.extend(std::iter::from_fn(|| self.pinned.pop()));
        all
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.clear());
    }
}

#[cfg(all(test, not(uproar_loom)))]
#[path = "worker/tests.rs"]
mod tests;
