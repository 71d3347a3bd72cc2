//! Who waits for one and the same thing, on any executor.

use std::task::Waker;

/// Each that waits, with the waker that it was last polled with.
#[derive(Default)]
pub(super) struct Waiters {
    last: u64,
    waiting: Vec<(u64, Waker)>,
}

/// Names one that waits. Zero until it does for the first time.
#[derive(Default)]
pub(super) struct Waiter(u64);

impl Waiters {
    /// Has `waker` woken. Returns the one that it was before: whoever calls holds a lock, and
    /// lets go of that first.
    #[must_use]
    pub(super) fn register(&mut self, waiter: &mut Waiter, waker: Waker) -> Option<Waker> {
        let known = self.waiting.iter_mut().find(|(own, _)| *own == waiter.0);
        if let Some((_, before)) = known {
            return Some(std::mem::replace(before, waker));
        }
        if waiter.0 == 0 {
            self.last += 1;
            waiter.0 = self.last;
        }
        self.waiting.push((waiter.0, waker));
        None
    }

    /// It waits no more. Its waker, to be dropped with no lock held.
    #[must_use]
    pub(super) fn remove(&mut self, waiter: &Waiter) -> Option<Waker> {
        let at = self.waiting.iter().position(|(own, _)| *own == waiter.0)?;
        Some(self.waiting.swap_remove(at).1)
    }

    /// Takes all out, to wake them with no lock held.
    pub(super) fn take(&mut self) -> impl Iterator<Item = Waker> + use<> {
        let all = std::mem::take(&mut self.waiting);
        all.into_iter().map(|(_, waker)| waker)
    }
}
