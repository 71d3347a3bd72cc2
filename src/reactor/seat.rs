//! Where the reactor's thread waits: the one place that knows how.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Thread};
use std::time::Instant;

/// `[E2]` A `notify` before or during `park` makes it return.
#[derive(Default)]
pub(super) struct Seat {
    notified: AtomicBool,
    thread: Mutex<Option<Thread>>,
}

impl Seat {
    /// Makes the calling thread the one that waits here.
    pub(super) fn take(&self) {
        *self.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread::current());
    }

    /// Whether the calling thread is the one that waits here.
    pub(super) fn is_here(&self) -> bool {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        thread
            .as_ref()
            .is_some_and(|thread| thread.id() == thread::current().id())
    }

    /// Blocks the thread until it is notified or that time has come.
    pub(super) fn park(&self, until: Option<Instant>) {
        // ORDERING: pairs with `notify`: what led to it is seen.
        while !self.notified.swap(false, Ordering::Acquire) {
            match until.map(|until| until.saturating_duration_since(Instant::now())) {
                Some(left) if left.is_zero() => return,
                Some(left) => thread::park_timeout(left),
                None => thread::park(),
            }
        }
    }

    /// Makes `park` return. A system call, once per `park` at most.
    pub(super) fn notify(&self) {
        if !self.notified.swap(true, Ordering::Release)
            && let Some(thread) = &*self.thread.lock().unwrap_or_else(PoisonError::into_inner)
        {
            thread.unpark();
        }
    }
}
