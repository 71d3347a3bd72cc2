use std::mem;
use std::ops::Deref;
use std::ptr::NonNull;
use std::task::Waker;

use super::Process;

/// A counted reference to a process: one pointer.
///
/// `[P1]` It is a waker of the process's task whose vtable is read from the process.
pub(crate) struct ProcessRef(NonNull<Process>);

// SAFETY: `Process` is `Sync`, and the task's reference count is atomic.
unsafe impl Send for ProcessRef {}
// SAFETY: as above.
unsafe impl Sync for ProcessRef {}

impl ProcessRef {
    /// A reference to a process whose waker is set.
    #[inline]
    pub(crate) fn new(process: &Process) -> ProcessRef {
        mem::forget(process.waker().clone());
        ProcessRef(NonNull::from(process))
    }

    /// Wakes the actor with this reference: one read-modify-write less than without.
    pub(crate) fn wake(self) {
        // SAFETY: [P1] as in `drop`, which does not happen to `self`.
        let waker: Waker = unsafe { std::ptr::read(self.waker()) };
        mem::forget(self);
        waker.wake();
    }

    /// Asks for the lines that a wake-up reads and writes: the record and, before it, the
    /// head of the task.
    #[inline]
    pub(crate) fn prefetch(&self) {
        crate::sync::prefetch(self.0.as_ptr().cast::<u8>());
        crate::sync::prefetch(self.0.as_ptr().cast::<u8>().wrapping_sub(64));
    }
}

impl Deref for ProcessRef {
    type Target = Process;

    #[inline]
    fn deref(&self) -> &Process {
        // SAFETY: [P1] the reference keeps it alive.
        unsafe { self.0.as_ref() }
    }
}

impl Clone for ProcessRef {
    #[inline]
    fn clone(&self) -> Self {
        ProcessRef::new(self)
    }
}

impl Drop for ProcessRef {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: [P1] the waker is a copy of the one in the process and owns the
        // reference that `new` counted. The process is not touched after this.
        let waker: Waker = unsafe { std::ptr::read(self.waker()) };
        drop(waker);
    }
}
