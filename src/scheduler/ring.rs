//! The ring of a run queue: its worker puts in and takes out, others steal.
//!
//! One producer (the worker), many consumers. Two positions are kept for the
//! front: `taken`, up to which slots have been given out, and `freed`, up to which
//! they have been read and may be written again. They differ while a thief copies.
//!
//! * `[Q1]` Every task pushed is given out exactly once.
//! * `[Q2]` Slots in `freed..tail` are not written; slots outside are not read.
//! * `[Q3]` One thief copies at a time; the worker can pop meanwhile.
//!
//! Checked by the loom models, and against a plain queue, in `ring/`.

use std::marker::PhantomData;

use super::task::Task;
use crate::sync::{AtomicPtr, AtomicU32, AtomicU64, CachePadded, Ordering};

/// Slots. Few in the models, so that they reach the edges.
#[cfg(not(uproar_loom))]
pub(super) const SLOTS: usize = 256;
#[cfg(uproar_loom)]
pub(super) const SLOTS: usize = 4;

/// What one theft takes at most.
#[cfg(not(uproar_loom))]
pub(super) const THEFT: usize = 32;
#[cfg(uproar_loom)]
pub(super) const THEFT: usize = 2;

const MASK: u32 = SLOTS as u32 - 1;

/// What the ring holds: an owned pointer. Tasks, and plain numbers in the models.
pub(super) trait Thin: Send {
    fn into_raw(self) -> *mut ();

    /// # Safety
    /// `raw` came from `into_raw`, once.
    unsafe fn from_raw(raw: *mut ()) -> Self;
}

pub(super) struct Ring<T: Thin = Task> {
    /// `freed` in the high half, `taken` in the low one; both count for ever.
    front: CachePadded<AtomicU64>,
    tail: CachePadded<AtomicU32>,
    slots: Box<[AtomicPtr<()>]>,
    items: PhantomData<fn(T) -> T>,
}

const fn pack(freed: u32, taken: u32) -> u64 {
    ((freed as u64) << 32) | taken as u64
}

const fn unpack(front: u64) -> (u32, u32) {
    ((front >> 32) as u32, front as u32)
}

impl<T: Thin> Ring<T> {
    pub(super) fn new() -> Self {
        Ring::starting_at(0)
    }

    /// An empty ring that has had so many items already.
    fn starting_at(start: u32) -> Self {
        Ring {
            front: CachePadded(AtomicU64::new(pack(start, start))),
            tail: CachePadded(AtomicU32::new(start)),
            slots: (0..SLOTS)
                .map(|_| AtomicPtr::new(std::ptr::null_mut()))
                .collect(),
            items: PhantomData,
        }
    }

    #[inline]
    fn slot(&self, at: u32) -> &AtomicPtr<()> {
        &self.slots[(at & MASK) as usize]
    }

    /// Tasks in the ring. Exact for the worker, a hint for others.
    #[inline]
    pub(super) fn len(&self) -> usize {
        let (_, taken) = unpack(self.front.load(Ordering::Acquire));
        let tail = self.tail.load(Ordering::Acquire);
        // Others may see a front that is newer than the tail.
        (tail.wrapping_sub(taken) as i32).max(0) as usize
    }

    /// Puts a task at the back, or gives it back when the ring is full. For the worker.
    #[inline]
    pub(super) fn push(&self, task: T) -> Result<(), T> {
        let tail = self.tail.load(Ordering::Relaxed);
        // ORDERING: acquire pairs with the release of `freed` by a thief, which
        // has read its slots by then [Q2].
        let (freed, _) = unpack(self.front.load(Ordering::Acquire));
        if tail.wrapping_sub(freed) as usize >= SLOTS {
            return Err(task);
        }
        self.slot(tail).store(task.into_raw(), Ordering::Relaxed);
        // ORDERING: release publishes the slot to `pop` and to thieves.
        self.tail.store(tail.wrapping_add(1), Ordering::Release);
        Ok(())
    }

    /// Takes the oldest task. For the worker.
    #[inline]
    pub(super) fn pop(&self) -> Option<T> {
        let mut popped = None;
        self.pop_many(1, |task| popped = Some(task));
        popped
    }

    /// Takes the oldest tasks, at most `most`, and hands them to `give`, oldest first. For
    /// the worker.
    #[inline]
    pub(super) fn pop_many(&self, most: usize, mut give: impl FnMut(T)) {
        let mut front = self.front.load(Ordering::Acquire);
        let tail = self.tail.load(Ordering::Relaxed);
        let (first, next) = loop {
            let (freed, taken) = unpack(front);
            let count = tail.wrapping_sub(taken).min(most as u32);
            if count == 0 {
                return;
            }
            let next = taken.wrapping_add(count);
            // While a thief copies, what is behind it stays unfree [Q2].
            let new = if freed == taken {
                pack(next, next)
            } else {
                pack(freed, next)
            };
            match self
                .front
                .compare_exchange_weak(front, new, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => break (taken, next),
                Err(now) => front = now,
            }
        };
        // They may be free by now, but it is us who would write to them.
        let mut at = first;
        while at != next {
            let raw = self.slot(at).load(Ordering::Relaxed);
            // SAFETY: [Q1] the exchange gave this slot to us alone.
            give(unsafe { T::from_raw(raw) });
            at = at.wrapping_add(1);
        }
    }

    /// Takes half of what is here, at most `most`, and hands it to `give`, oldest
    /// first. For any thread but the worker. Returns how many.
    pub(super) fn steal(&self, most: usize, mut give: impl FnMut(T)) -> usize {
        let mut front = self.front.load(Ordering::Acquire);
        let (first, count) = loop {
            let (freed, taken) = unpack(front);
            if freed != taken {
                // [Q3] Another thief is at work.
                return 0;
            }
            // ORDERING: acquire pairs with `push`.
            let tail = self.tail.load(Ordering::Acquire);
            let len = tail.wrapping_sub(taken);
            let count = (len - len / 2).min(most as u32).min(THEFT as u32);
            if count == 0 || len as usize > SLOTS {
                // Empty, or the two loads do not belong together.
                return 0;
            }
            match self.front.compare_exchange_weak(
                front,
                pack(freed, taken.wrapping_add(count)),
                Ordering::AcqRel,
                Ordering::Acquire,
            ) {
                Ok(_) => break (taken, count),
                Err(now) => front = now,
            }
        };
        let mut loot = [std::ptr::null_mut(); THEFT];
        for i in 0..count {
            loot[i as usize] = self.slot(first.wrapping_add(i)).load(Ordering::Relaxed);
        }
        // The slots are read: free them, and whatever the worker took meanwhile.
        let mut front = self.front.load(Ordering::Acquire);
        loop {
            let (_, taken) = unpack(front);
            match self.front.compare_exchange_weak(
                front,
                pack(taken, taken),
                Ordering::AcqRel,
                Ordering::Acquire,
            ) {
                Ok(_) => break,
                Err(now) => front = now,
            }
        }
        for &raw in &loot[..count as usize] {
            // SAFETY: [Q1] the first exchange gave these slots to us alone.
            give(unsafe { T::from_raw(raw) });
        }
        count as usize
    }
}

impl<T: Thin> Drop for Ring<T> {
    fn drop(&mut self) {
        while let Some(task) = self.pop() {
            drop(task);
        }
    }
}

#[cfg(all(test, uproar_loom))]
#[path = "ring/models.rs"]
mod loom_models;

#[cfg(all(test, not(uproar_loom)))]
#[path = "ring/tests.rs"]
mod tests;
