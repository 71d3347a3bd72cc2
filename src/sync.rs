//! One façade over std's atomics, cells, locks and parking, and loom's.
//!
//! Only the parts that have a loom model import from here: the incoming queue, room
//! in bounded mailboxes, the reply slot, the ties, the names, the run queue, the parking
//! protocol, the lanes, the watch and the reactor's timers. Everything else uses std directly.
//!
//! `cfg(uproar_loom)` is private to this crate, so that a user's own loom tests
//! (`cfg(loom)`) do not turn it on. The models run with
//! `RUSTFLAGS="--cfg uproar_loom" cargo test --release --lib loom_`.

#[cfg(not(uproar_loom))]
pub(crate) use std::{
    hint::spin_loop,
    sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence},
    sync::{Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard},
    thread::{self, Thread},
};

#[cfg(uproar_loom)]
pub(crate) use loom::{
    cell::UnsafeCell,
    hint::spin_loop,
    sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence},
    sync::{Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard},
    thread::{self, Thread},
};

/// std's cell with loom's ways in, which see races in a model.
#[cfg(not(uproar_loom))]
#[derive(Debug, Default)]
pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

#[cfg(not(uproar_loom))]
impl<T> UnsafeCell<T> {
    pub(crate) const fn new(value: T) -> Self {
        UnsafeCell(std::cell::UnsafeCell::new(value))
    }

    #[inline(always)]
    pub(crate) fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        f(self.0.get())
    }
}

/// Stands where sequentially consistent accesses are enough for C++ and Rust, but
/// not for loom, which takes them for acquire and release.
#[inline(always)]
pub(crate) fn total_order() {
    #[cfg(uproar_loom)]
    fence(Ordering::SeqCst);
}

/// Asks for the cache line of an address that will be read soon.
#[inline]
pub(crate) fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch of any address is harmless.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Puts two values that different cores write on cache lines of their own.
///
/// 128 bytes: x86-64 prefetches lines in pairs, and Apple's cores have lines of
/// that size.
#[repr(align(128))]
#[derive(Debug, Default)]
pub(crate) struct CachePadded<T>(pub(crate) T);

impl<T> std::ops::Deref for CachePadded<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// Runs a model in every order that preempts threads at most so often.
#[cfg(all(test, uproar_loom))]
pub(crate) fn explore(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}
