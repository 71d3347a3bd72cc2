//! Where nodes come from: slabs of [`NODES`] of them, each one allocation.
//!
//! An allocation for each node would be a good part of a burst's cost, the more so where the
//! thread that frees is not the one that allocated. Measured, ns a message, a node at a time
//! and this way: a message to each of a million idle actors, one worker 256 and 232, the
//! second time 244 and 203.
//!
//! * `[B1]` Each node of a slab is in use or in the slab's list, which `count` counts.
//! * `[B2]` A slab is in the list of slabs as long as it has nodes of both kinds. With none
//!   in use it goes back to the allocator.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

use super::Node;

/// Nodes in a slab.
pub(super) const NODES: usize = 64;

const LAYOUT: Layout = Layout::new::<Slab>();

// Aligned, so that nodes that begin a slab are in one line: ping-pong, which uses one or two
// nodes again and again, is 5 % slower with nodes that are in two.
#[repr(C, align(64))]
struct Slab {
    places: [Place; NODES],
    /// Nodes that are not in use, linked through `Node::next`.
    list: *mut Node,
    count: usize,
    /// The neighbours in the list of slabs.
    before: *mut Slab,
    after: *mut Slab,
}

/// A node, and where it belongs.
#[repr(C)]
struct Place {
    node: MaybeUninit<Node>,
    slab: *mut Slab,
}

/// Makes a slab and hands out all of its nodes.
#[cold]
pub(super) fn fresh(nodes: &mut [*mut Node; NODES]) {
    // SAFETY: a slab is not zero-sized.
    let slab = unsafe { alloc(LAYOUT) }.cast::<Slab>();
    if slab.is_null() {
        handle_alloc_error(LAYOUT);
    }
    // SAFETY: it is memory for a slab, and nobody else has it. A place begins with its node.
    unsafe {
        (&raw mut (*slab).list).write(ptr::null_mut());
        (&raw mut (*slab).count).write(0);
        let places = (&raw mut (*slab).places).cast::<Place>();
        // The last one goes first.
        for (i, node) in nodes.iter_mut().rev().enumerate() {
            let place = places.add(i);
            (&raw mut (*place).slab).write(slab);
            *node = place.cast();
        }
    }
}

/// Slabs of which a part is in use. [B2]
pub(super) struct Slabs {
    first: *mut Slab,
    free: usize,
}

// SAFETY: the slabs in the list are reached through it only, and the free nodes in them
// through the slabs; both are plain memory.
unsafe impl Send for Slabs {}

impl Slabs {
    pub(super) const fn new() -> Slabs {
        Slabs {
            first: ptr::null_mut(),
            free: 0,
        }
    }

    /// Nodes that are not in use.
    pub(super) fn free(&self) -> usize {
        self.free
    }

    /// Hands out nodes, as many as there are and `nodes` has room for. Returns how many.
    pub(super) fn take(&mut self, nodes: &mut [*mut Node]) -> usize {
        let mut taken = 0;
        while taken < nodes.len() && !self.first.is_null() {
            let slab = self.first;
            // SAFETY: [B1] [B2] it is in the list, so it is a slab that nobody else touches
            // now, and its list is as long as `count` says, at least one.
            unsafe {
                let count = (*slab).count.min(nodes.len() - taken);
                for node in &mut nodes[taken..taken + count] {
                    *node = (*slab).list;
                    (*slab).list = (**node).next;
                }
                (*slab).count -= count;
                taken += count;
                self.free -= count;
                if (*slab).count == 0 {
                    self.unlink(slab);
                }
            }
        }
        taken
    }

    /// Takes a node back. A slab that is whole by that goes to `whole`.
    ///
    /// # Safety
    /// The node came from [`fresh`] or [`Slabs::take`], and is not used any more.
    pub(super) unsafe fn put(&mut self, node: *mut Node, whole: &mut Whole) {
        // SAFETY: by the contract it is the node of a place, which is its slab's.
        unsafe {
            let slab = (*node.cast::<Place>()).slab;
            (&raw mut (*node).next).write((*slab).list);
            (*slab).list = node;
            (*slab).count += 1;
            self.free += 1;
            if (*slab).count == 1 {
                self.link(slab);
            } else if (*slab).count == NODES {
                self.unlink(slab);
                self.free -= NODES;
                (*slab).after = whole.first;
                whole.first = slab;
            }
        }
    }

    /// # Safety
    /// The slab is one that is not in the list.
    unsafe fn link(&mut self, slab: *mut Slab) {
        // SAFETY: by the contract; what is in the list is a slab.
        unsafe {
            (*slab).before = ptr::null_mut();
            (*slab).after = self.first;
            if let Some(after) = NonNull::new(self.first) {
                (*after.as_ptr()).before = slab;
            }
        }
        self.first = slab;
    }

    /// # Safety
    /// The slab is in the list.
    unsafe fn unlink(&mut self, slab: *mut Slab) {
        // SAFETY: by the contract, and its neighbours are slabs.
        unsafe {
            let (before, after) = ((*slab).before, (*slab).after);
            match NonNull::new(before) {
                Some(before) => (*before.as_ptr()).after = after,
                None => self.first = after,
            }
            if let Some(after) = NonNull::new(after) {
                (*after.as_ptr()).before = before;
            }
        }
    }
}

/// Slabs with no node in use. They go back to the allocator with it, after any lock that
/// is taken later.
pub(super) struct Whole {
    first: *mut Slab,
}

impl Whole {
    pub(super) const fn new() -> Whole {
        Whole {
            first: ptr::null_mut(),
        }
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        while let Some(slab) = NonNull::new(self.first) {
            // SAFETY: [B2] nobody else has it or any node of it.
            unsafe {
                self.first = (*slab.as_ptr()).after;
                dealloc(slab.as_ptr().cast(), LAYOUT);
            }
        }
    }
}

#[cfg(test)]
mod tests;
