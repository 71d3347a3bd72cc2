use std::mem::ManuallyDrop;
use std::ptr::NonNull;

use async_task::Runnable;

use super::ring::Thin;
use crate::process::{Placement, Process};

/// The token of being queued: an actor that is to run has one of these, in one
/// place. A `Runnable` as one pointer.
pub(crate) struct Task(NonNull<()>);

// SAFETY: a `Runnable` is `Send`. Tasks of pinned actors are sent to their worker
// and polled and dropped there only.
unsafe impl Send for Task {}

impl Task {
    pub(crate) fn new(runnable: Runnable<Process>) -> Task {
        Task(runnable.into_raw())
    }

    pub(crate) fn into_runnable(self) -> Runnable<Process> {
        let task = ManuallyDrop::new(self);
        // SAFETY: it came from `into_raw`, and `self` gives it up.
        unsafe { Runnable::from_raw(task.0) }
    }

    #[inline]
    pub(crate) fn is_pinned(&self) -> bool {
        self.with(|process| process.placement == Placement::Pinned)
    }

    /// Where it lies: the same for two tasks that are there at different times.
    #[inline]
    pub(super) fn address(&self) -> *const () {
        self.0.as_ptr()
    }

    /// Shows its process to `look`.
    #[inline]
    pub(super) fn with<R>(&self, look: impl FnOnce(&Process) -> R) -> R {
        // SAFETY: borrowed for the call; it stays in `self`.
        let runnable = ManuallyDrop::new(unsafe { Runnable::<Process>::from_raw(self.0) });
        look(runnable.metadata())
    }
}

impl Thin for Task {
    #[inline]
    fn into_raw(self) -> *mut () {
        ManuallyDrop::new(self).0.as_ptr()
    }

    #[inline]
    unsafe fn from_raw(raw: *mut ()) -> Task {
        // SAFETY: by the contract it is not null.
        Task(unsafe { NonNull::new_unchecked(raw) })
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        // SAFETY: `self` owns the runnable.
        drop(unsafe { Runnable::<Process>::from_raw(self.0) });
    }
}
