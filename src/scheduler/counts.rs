//! Counters of one worker.

use std::sync::atomic::{AtomicU64, Ordering};

/// A counter that one thread adds to and any thread reads.
#[derive(Debug, Default)]
pub(crate) struct Count(AtomicU64);

impl Count {
    /// Adds. For the owner, which pays no read-modify-write.
    #[inline]
    pub(crate) fn add(&self, n: u64) {
        self.0
            .store(self.0.load(Ordering::Relaxed) + n, Ordering::Relaxed);
    }

    /// Adds, from any thread.
    pub(crate) fn add_shared(&self, n: u64) {
        self.0.fetch_add(n, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a worker has done. Written by the worker, except where noted.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) slices: Count,
    pub(crate) reductions: Count,
    pub(crate) messages: Count,
    /// Tasks that it stole from others.
    pub(crate) steals: Count,
    /// Tasks that others stole from it. Written by thieves.
    pub(crate) stolen: Count,
    /// Searches that found nothing.
    pub(crate) failed_steals: Count,
    /// Actors that other threads made runnable here. Written by them.
    pub(crate) remote_wakeups: Count,
    pub(crate) parks: Count,
    /// Written by the watch.
    pub(crate) overlong_slices: Count,
    pub(crate) spawned: Count,
    pub(crate) exited: Count,
    pub(crate) panicked: Count,
}
