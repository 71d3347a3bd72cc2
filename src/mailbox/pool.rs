//! Recycled nodes: per-thread magazines over one bounded depot, over slabs.
//!
//! A send takes a node from the sender's magazine, a receive gives it to the
//! receiver's: two array accesses, no atomic. Full magazines go to the depot and
//! come back from it, so a one-way stream between two workers, or from a plain
//! thread, recycles too, at one short lock per [`MAGAZINE`] messages.
//!
//! `[N1]` The depot keeps at most [`DEPOT`] magazines; what a burst needed beyond
//! that goes back to its slabs as the burst is consumed, and from there to the
//! allocator. Checked by `tests/allocations.rs`.

mod slabs;

use std::alloc::{Layout, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::ptr::{self, NonNull};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use concurrent_queue::ConcurrentQueue;

use super::bundle::Bundle;
use super::node::Node;
use slabs::{Slabs, Whole};

/// Nodes in a magazine: as many as in a slab.
const MAGAZINE: usize = slabs::NODES;

/// Full magazines in the depot: 3 MiB of nodes.
const DEPOT: usize = 1024;

/// With more free nodes than so many in slabs that can't go, since some of their nodes are in
/// use, the depot keeps none: those that it keeps may be what holds the slabs. So memory
/// goes back after a burst also when its messages are received in another order than they
/// were sent in.
const LOOSE: usize = DEPOT * MAGAZINE;

/// Empty magazines in the depot: half a MiB.
const EMPTIES: usize = DEPOT;

struct Magazine {
    len: usize,
    nodes: [*mut Node; MAGAZINE],
}

impl Magazine {
    fn new() -> NonNull<Magazine> {
        NonNull::from(Box::leak(Box::new(Magazine {
            len: 0,
            nodes: [ptr::null_mut(); MAGAZINE],
        })))
    }
}

/// A magazine on its way through the depot.
struct Shelved(NonNull<Magazine>);

// SAFETY: a magazine owns its nodes, which are empty memory.
unsafe impl Send for Shelved {}

/// What no thread holds: full magazines, and empty ones for whoever fills one next,
/// so that magazines come round as nodes do.
struct Depot {
    full: Vec<Shelved>,
    empty: Vec<Shelved>,
    slabs: Slabs,
}

impl Depot {
    /// Empties a magazine into the slabs and keeps it for whoever fills one next. It comes
    /// back if there are plenty of those.
    ///
    /// # Safety
    /// The magazine is the caller's, who gives it away.
    unsafe fn unload(&mut self, magazine: Shelved, whole: &mut Whole) -> Option<Shelved> {
        // SAFETY: by the contract; nodes in a magazine are in nobody's use.
        unsafe {
            let magazine = &mut *magazine.0.as_ptr();
            for &node in &magazine.nodes[..magazine.len] {
                self.slabs.put(node, whole);
            }
            magazine.len = 0;
        }
        if self.empty.len() < EMPTIES {
            self.empty.push(magazine);
            return None;
        }
        Some(magazine)
    }
}

static SHELVES: Mutex<Depot> = Mutex::new(Depot {
    full: Vec::new(),
    empty: Vec::new(),
    slabs: Slabs::new(),
});

fn depot() -> MutexGuard<'static, Depot> {
    SHELVES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The magazines of one thread. Plain cells: the hot path has no destructor to
/// register and no state to check. `Guard` empties them when the thread ends.
struct Local {
    loaded: Cell<*mut Magazine>,
    spare: Cell<*mut Magazine>,
    closed: Cell<bool>,
}

thread_local! {
    static LOCAL: Local = const {
        Local {
            loaded: Cell::new(ptr::null_mut()),
            spare: Cell::new(ptr::null_mut()),
            closed: Cell::new(false),
        }
    };
    static GUARD: Guard = const { Guard };
}

struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        LOCAL.with(|local| {
            local.closed.set(true);
            for magazine in [&local.loaded, &local.spare] {
                if let Some(magazine) = NonNull::new(magazine.replace(ptr::null_mut())) {
                    shelve(magazine);
                }
            }
        });
    }
}

/// Gives a magazine to the depot, or what is in it to the slabs when the depot is full.
fn shelve(magazine: NonNull<Magazine>) {
    // Goes back to the allocator when the lock is free again.
    let mut whole = Whole::new();
    let mut depot = depot();
    let loose = depot.slabs.free() > LOOSE;
    // SAFETY: the caller gives the magazine away; nobody else has it.
    let is_empty = unsafe { magazine.as_ref() }.len == 0;
    if !is_empty && !loose && depot.full.len() < DEPOT {
        depot.full.push(Shelved(magazine));
        return;
    }
    let older = if loose { depot.full.pop() } else { None };
    let surplus = [Some(Shelved(magazine)), older].map(|magazine| {
        // SAFETY: as above, and the depot has given the other one away.
        magazine.and_then(|magazine| unsafe { depot.unload(magazine, &mut whole) })
    });
    drop(depot);
    for Shelved(magazine) in surplus.into_iter().flatten() {
        // SAFETY: as above; magazines are made by `Magazine::new`.
        drop(unsafe { Box::from_raw(magazine.as_ptr()) });
    }
}

/// A magazine to fill.
fn empty_magazine() -> NonNull<Magazine> {
    let empty = depot().empty.pop();
    empty.map_or_else(Magazine::new, |Shelved(magazine)| magazine)
}

/// Memory for one node.
#[inline]
pub(super) fn allocate() -> NonNull<Node> {
    LOCAL.with(|local| {
        let magazine = local.loaded.get();
        // SAFETY: [owner] a thread's magazines are reached by that thread only,
        // and no reference to one outlives this block.
        unsafe {
            if !magazine.is_null() && (*magazine).len > 0 {
                return pop(magazine);
            }
        }
        refill(local)
    })
}

/// # Safety
/// The magazine is the calling thread's and not empty.
#[inline]
unsafe fn pop(magazine: *mut Magazine) -> NonNull<Node> {
    // SAFETY: by the contract; slots below `len` hold nodes.
    unsafe {
        let left = (*magazine).len - 1;
        (*magazine).len = left;
        prefetch((*magazine).nodes[left.saturating_sub(3)]);
        NonNull::new_unchecked((*magazine).nodes[left])
    }
}

/// Asks for the line of a node that will be read soon.
#[inline]
pub(super) fn prefetch_read(node: *mut Node) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch of any address is harmless.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(node.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = node;
}

/// Asks for the line of a node that will be written soon: on a stream between
/// two cores the receiver's core has it.
#[inline]
fn prefetch(node: *mut Node) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch of any address is harmless.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_ET0>(node.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = node;
}

#[cold]
fn refill(local: &Local) -> NonNull<Node> {
    let spare = local.spare.get();
    // SAFETY: as in `allocate`.
    unsafe {
        if !spare.is_null() && (*spare).len > 0 {
            local.spare.set(local.loaded.replace(spare));
            return pop(spare);
        }
    }
    let full = full_magazine();
    if local.closed.get() {
        // The thread is ending and keeps no magazine: use one node, give the rest back.
        // SAFETY: the magazine is ours and not empty.
        let node = unsafe { pop(full.as_ptr()) };
        shelve(full);
        return node;
    }
    GUARD.with(|_| {});
    let empty = local.loaded.replace(full.as_ptr());
    if !empty.is_null() {
        // Both of the thread's magazines were empty; one is enough.
        if let Some(old) = NonNull::new(local.spare.replace(empty)) {
            shelve(old);
        }
    }
    // SAFETY: the magazine is the thread's and came full.
    unsafe { pop(full.as_ptr()) }
}

/// A magazine with nodes in it: of the depot, of slabs that have some, or of a new one.
fn full_magazine() -> NonNull<Magazine> {
    let mut depot = depot();
    if let Some(Shelved(full)) = depot.full.pop() {
        return full;
    }
    let empty = depot.empty.pop();
    let mut magazine = empty.map_or_else(Magazine::new, |Shelved(magazine)| magazine);
    // SAFETY: the magazine is ours.
    let filled = unsafe { magazine.as_mut() };
    filled.len = depot.slabs.take(&mut filled.nodes);
    drop(depot);
    if filled.len == 0 {
        slabs::fresh(&mut filled.nodes);
        filled.len = MAGAZINE;
    }
    magazine
}

/// Takes an empty node back.
///
/// # Safety
/// `node` came from [`allocate`], holds nothing that needs a drop, and is not
/// used again.
#[inline]
pub(super) unsafe fn release(node: NonNull<Node>) {
    LOCAL.with(|local| {
        let magazine = local.loaded.get();
        // SAFETY: as in `allocate`.
        unsafe {
            if !magazine.is_null() && (*magazine).len < MAGAZINE {
                (*magazine).nodes[(*magazine).len] = node.as_ptr();
                (*magazine).len += 1;
                return;
            }
        }
        make_room(local, node);
    });
}

#[cold]
fn make_room(local: &Local, node: NonNull<Node>) {
    if local.closed.get() {
        let mut whole = Whole::new();
        // SAFETY: the node came from a slab, and is not used any more.
        unsafe { depot().slabs.put(node.as_ptr(), &mut whole) };
        return;
    }
    GUARD.with(|_| {});
    let spare = local.spare.replace(ptr::null_mut());
    let spare = match NonNull::new(spare) {
        // SAFETY: as in `allocate`.
        Some(full) if unsafe { full.as_ref().len } == MAGAZINE => {
            shelve(full);
            empty_magazine().as_ptr()
        }
        Some(room) => room.as_ptr(),
        None => empty_magazine().as_ptr(),
    };
    local.spare.set(local.loaded.replace(spare));
    // SAFETY: as in `allocate`; the new one has room.
    unsafe {
        (*spare).nodes[(*spare).len] = node.as_ptr();
        (*spare).len += 1;
    }
}

/// Bundles that nobody uses: at most a MiB of them [N1].
static BUNDLES: OnceLock<ConcurrentQueue<Spare>> = OnceLock::new();
const SPARE_BUNDLES: usize = 1024;

struct Spare(NonNull<Bundle>);

// SAFETY: it is empty memory.
unsafe impl Send for Spare {}

fn bundles() -> &'static ConcurrentQueue<Spare> {
    BUNDLES.get_or_init(|| ConcurrentQueue::bounded(SPARE_BUNDLES))
}

/// Memory for one bundle.
pub(super) fn allocate_bundle() -> NonNull<Bundle> {
    if let Ok(Spare(bundle)) = bundles().pop() {
        return bundle;
    }
    const LAYOUT: Layout = Layout::new::<Bundle>();
    // SAFETY: a bundle is not zero-sized.
    let bundle = unsafe { std::alloc::alloc(LAYOUT) };
    NonNull::new(bundle.cast()).unwrap_or_else(|| handle_alloc_error(LAYOUT))
}

/// Takes an empty bundle back.
///
/// # Safety
/// `bundle` came from [`allocate_bundle`], holds nothing, and is not used again.
pub(super) unsafe fn release_bundle(bundle: NonNull<Bundle>) {
    if bundles().push(Spare(bundle)).is_err() {
        // SAFETY: it is unused memory of this layout.
        unsafe { dealloc(bundle.as_ptr().cast(), Layout::new::<Bundle>()) }
    }
}

#[cfg(all(test, not(uproar_loom)))]
#[path = "pool/tests.rs"]
mod tests;
