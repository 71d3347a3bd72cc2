//! The next slot of a worker: the task that was woken or spawned last.
//!
//! * `[K1]` The slot is filled by the worker only, so it fills an empty one with a plain
//!   store; it is emptied by an exchange, since thieves take from it when the worker is
//!   stuck.
//! * `[K4]` The pointer says whether its task is pinned: a thief sees that without having
//!   the task, and leaves it where it is.

use std::marker::PhantomData;
use std::ptr;

use super::ring::Thin;
use super::task::Task;
use crate::sync::{AtomicPtr, Ordering};

/// Set in the pointer of a pinned task. Tasks are aligned to more than a byte.
const PINNED: usize = 1;

/// The slot. Of tasks; in the models of plain numbers.
pub(super) struct Next<T: Thin = Task> {
    raw: AtomicPtr<()>,
    item: PhantomData<fn(T) -> T>,
}

fn is_pinned(raw: *mut ()) -> bool {
    raw.addr() & PINNED != 0
}

/// The task, and whether it is pinned.
///
/// # Safety
/// `raw` was in a slot, and is the caller's alone now.
unsafe fn untagged<T: Thin>(raw: *mut ()) -> (T, bool) {
    let task = raw.map_addr(|address| address & !PINNED);
    // SAFETY: by the contract.
    (unsafe { T::from_raw(task) }, is_pinned(raw))
}

impl<T: Thin> Next<T> {
    pub(super) fn new() -> Self {
        Next {
            raw: AtomicPtr::new(ptr::null_mut()),
            item: PhantomData,
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.raw.load(Ordering::Relaxed).is_null()
    }

    /// Whether the task in it may not move. A hint for others than the worker.
    pub(super) fn has_pinned(&self) -> bool {
        is_pinned(self.raw.load(Ordering::Relaxed))
    }

    /// Whether a thief would find something. A hint for others than the worker.
    pub(super) fn is_stealable(&self) -> bool {
        let raw = self.raw.load(Ordering::Relaxed);
        !raw.is_null() && !is_pinned(raw)
    }

    /// Fills it. What it had comes out, and whether that is pinned. For the worker.
    #[inline]
    pub(super) fn fill(&self, task: T, pinned: bool) -> Option<(T, bool)> {
        let raw = task.into_raw();
        let raw = raw.map_addr(|address| address | (usize::from(pinned) * PINNED));
        if self.is_empty() {
            // [K1] nobody else fills it.
            // ORDERING: release publishes the task to a thief.
            self.raw.store(raw, Ordering::Release);
            return None;
        }
        let before = self.raw.swap(raw, Ordering::AcqRel);
        // SAFETY: the exchange gave it to us alone.
        (!before.is_null()).then(|| unsafe { untagged(before) })
    }

    /// Empties it. For the worker.
    #[inline]
    pub(super) fn take(&self) -> Option<T> {
        if self.is_empty() {
            return None;
        }
        let raw = self.raw.swap(ptr::null_mut(), Ordering::AcqRel);
        // SAFETY: the exchange gave it to us alone.
        (!raw.is_null()).then(|| unsafe { untagged(raw) }.0)
    }

    /// Takes the task out if it may move. For a thief.
    pub(super) fn rob(&self) -> Option<T> {
        let raw = self.raw.load(Ordering::Relaxed);
        if raw.is_null() || is_pinned(raw) {
            return None;
        }
        // Another task that has come to the same address meanwhile is as good.
        // ORDERING: acquire pairs with the release of `fill`.
        self.raw
            .compare_exchange(raw, ptr::null_mut(), Ordering::AcqRel, Ordering::Relaxed)
            .ok()
            // SAFETY: the exchange gave it to us alone.
            .map(|raw| unsafe { untagged(raw) }.0)
    }
}

#[cfg(all(test, uproar_loom))]
#[path = "next/models.rs"]
mod loom_models;
