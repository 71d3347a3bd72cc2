//! One façade over std's atomics and loom's.
//!
//! Only the parts that have a loom model import from here: the incoming queue,
//! the run queue and the parking protocol. Everything else uses std directly.
//!
//! `cfg(uproar_loom)` is private to this crate, so that a user's own loom tests
//! (`cfg(loom)`) do not turn it on.

#[cfg(not(uproar_loom))]
pub(crate) use std::{
    hint::spin_loop,
    sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering, fence},
};

#[cfg(uproar_loom)]
pub(crate) use loom::{
    hint::spin_loop,
    sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering, fence},
};

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
