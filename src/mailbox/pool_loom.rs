//! The pool of the models: each node is loom's own allocation, so that it sees
//! leaks and double frees.

use std::ptr::NonNull;

use loom::alloc::{Layout, alloc, dealloc};

use super::bundle::Bundle;
use super::node::Node;

const LAYOUT: Layout = Layout::new::<Node>();

/// Memory for one node.
pub(super) fn allocate() -> NonNull<Node> {
    // SAFETY: a node is not zero-sized.
    let node = unsafe { alloc(LAYOUT) };
    NonNull::new(node.cast()).expect("memory for a node")
}

/// Takes an empty node back.
///
/// # Safety
/// As for the other pool.
pub(super) unsafe fn release(node: NonNull<Node>) {
    // SAFETY: it came from `allocate`.
    unsafe { dealloc(node.as_ptr().cast(), LAYOUT) }
}

/// For the other pool.
#[inline]
pub(super) fn prefetch_read(_: *mut Node) {}

/// Memory for one bundle.
pub(super) fn allocate_bundle() -> NonNull<Bundle> {
    // SAFETY: a bundle is not zero-sized.
    let bundle = unsafe { alloc(Layout::new::<Bundle>()) };
    NonNull::new(bundle.cast()).expect("memory for a bundle")
}

/// Takes an empty bundle back.
///
/// # Safety
/// As for the other pool.
pub(super) unsafe fn release_bundle(bundle: NonNull<Bundle>) {
    // SAFETY: it came from `allocate_bundle`.
    unsafe { dealloc(bundle.as_ptr().cast(), Layout::new::<Bundle>()) }
}
