//! The incoming queue: many senders, one consumer, one word.
//!
//! ```text
//!             push                 push: wakes
//!   EMPTY ───────────▶ list ◀─────────────────── PARKED
//!     ▲ ╲               │ ╲                        ▲
//!     │  ╲── close ──┐  │  ╲── close ──▶ CLOSED ◀──┤ close
//!     │              └──┼───────────────▶          │
//!     └──── take ───────┘          park: EMPTY ────┘
//! ```
//!
//! A list is linked newest first; the consumer takes the whole of it and turns
//! it round, so order is the order of the pushes' read-modify-writes, and no
//! finished push ever hides behind an unfinished one.
//!
//! * `[I1]` Each node that `push` accepts is returned by exactly one `take` or
//!   `close`, in the order of the pushes.
//! * `[I2]` When the word is `PARKED`, exactly one push learns so and owes a wake-up.
//! * `[I3]` `close` has one winner. It and whoever polls the actor are the only
//!   consumers, and after it there is no other: this is the *consumer right*.
//!
//! Checked by the loom models in `incoming/` and, on threads, by `tests/stress/`.

use std::ptr::{self, NonNull};

use super::bundle::{Bundle, Item};
#[cfg(not(uproar_loom))]
use super::census;
use super::node::{Kind, Node, NodeBox};
use super::pool;
use super::queued::Queued;
use crate::sync::{AtomicPtr, Ordering};

const EMPTY: *mut Node = ptr::null_mut();
/// The consumer waits for a message and the queue is empty.
const PARKED: *mut Node = ptr::without_provenance_mut(1);
/// Nobody consumes any more.
const CLOSED: *mut Node = ptr::without_provenance_mut(2);

fn is_list(word: *mut Node) -> bool {
    word.addr() > CLOSED.addr()
}

pub(crate) struct Incoming {
    word: AtomicPtr<Node>,
}

/// What a successful push leaves to do.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pushed {
    /// Nothing: the receiver is awake, or others have woken it.
    Queued,
    /// The receiver waits in a receive: wake it.
    Wake,
}

/// What a look at the queue says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Peek {
    Nothing,
    Signals,
    Closed,
}

/// What an attempt to park found.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Park {
    /// The next push wakes.
    Parked,
    /// There are signals to take first.
    Signals,
    /// The queue is closed; nothing will come.
    Closed,
}

impl Incoming {
    pub(crate) fn new() -> Self {
        Incoming {
            word: AtomicPtr::new(EMPTY),
        }
    }

    /// Queues a signal. When the queue is closed it comes back.
    #[inline]
    pub(crate) fn push(&self, node: NodeBox) -> Result<Pushed, NodeBox> {
        let node = node.into_raw();
        // SAFETY: the node is the caller's, and his again when it was not queued.
        unsafe { self.link(node).ok_or_else(|| NodeBox::from_raw(node)) }
    }

    /// Queues a bundle. When the queue is closed it comes back.
    pub(super) fn push_bundle(&self, bundle: NonNull<Bundle>) -> Result<Pushed, NonNull<Bundle>> {
        // SAFETY: a bundle begins as a node does, and nobody else has this one.
        unsafe { self.link(bundle.cast()).ok_or(bundle) }
    }

    /// Whether nothing has been queued or taken since `bundle` was queued.
    #[inline]
    pub(super) fn is_newest(&self, bundle: NonNull<Bundle>) -> bool {
        // ORDERING: relaxed is enough for [U1]: a push that the caller knows of, by
        // whatever way, comes before this in the word's own order.
        self.word.load(Ordering::Relaxed) == bundle.as_ptr().cast()
    }

    /// Queues a link. `None` when the queue is closed.
    ///
    /// # Safety
    /// It is the caller's, and a `Node` or a `Bundle`.
    #[inline]
    unsafe fn link(&self, node: NonNull<Node>) -> Option<Pushed> {
        let mut word = self.word.load(Ordering::Relaxed);
        loop {
            if word == CLOSED {
                return None;
            }
            let next = if word == PARKED { EMPTY } else { word };
            // SAFETY: [I1] until the exchange succeeds nobody else knows the node.
            unsafe { (*node.as_ptr()).next = next };
            // ORDERING: release publishes the node to the consumer's acquire.
            // Earlier pushes stay visible through it: a chain of
            // read-modify-writes is one release sequence.
            match self.word.compare_exchange_weak(
                word,
                node.as_ptr(),
                Ordering::Release,
                Ordering::Relaxed,
            ) {
                Ok(_) if word == PARKED => return Some(Pushed::Wake),
                Ok(_) => return Some(Pushed::Queued),
                Err(now) => word = now,
            }
        }
    }

    /// Takes all that is queued, oldest first. For the consumer.
    pub(crate) fn take(&self) -> Batch {
        self.take_counted().batch
    }

    /// Takes all that is queued, and says what it is. For the consumer.
    #[inline(always)]
    pub(crate) fn take_counted(&self) -> Taken {
        let mut word = self.word.load(Ordering::Relaxed);
        while is_list(word) {
            // ORDERING: acquire pairs with the pushes' release; sequentially consistent
            // for [Q1].
            match self
                .word
                .compare_exchange_weak(word, EMPTY, Ordering::SeqCst, Ordering::Relaxed)
            {
                // SAFETY: [I1] the list is off the word: it is ours alone.
                Ok(_) => return unsafe { Batch::reversed(word) },
                Err(now) => word = now,
            }
        }
        Taken::default()
    }

    /// Messages that are queued. For anyone; the consumer waits meanwhile.
    #[cfg(not(uproar_loom))]
    pub(crate) fn count(&self) -> usize {
        let _look = census::Look::begin();
        // ORDERING: acquire pairs with the pushes' release; sequentially consistent for
        // [Q1].
        let mut at = self.word.load(Ordering::SeqCst);
        let mut count = 0;
        while is_list(at) {
            // SAFETY: [Q1] whoever takes the list waits for the look. The link after an
            // oldest one is null.
            unsafe {
                count += match Node::kind(at) {
                    Kind::Message => 1,
                    Kind::Control => 0,
                    Kind::Bundle => Bundle::count(NonNull::new_unchecked(at).cast()) as usize,
                };
                at = (*at).next;
            }
        }
        count
    }

    /// No model asks.
    #[cfg(uproar_loom)]
    pub(crate) fn count(&self) -> usize {
        0
    }

    /// What a look at the queue says. For anyone, as a hint.
    #[inline]
    pub(crate) fn peek(&self) -> Peek {
        let word = self.word.load(Ordering::Relaxed);
        if is_list(word) {
            Peek::Signals
        } else if word == CLOSED {
            Peek::Closed
        } else {
            Peek::Nothing
        }
    }

    /// Whether a `take` would find something. For anyone, as a hint.
    #[inline]
    pub(crate) fn has_signals(&self) -> bool {
        is_list(self.word.load(Ordering::Relaxed))
    }

    /// Says that the consumer waits. For the consumer.
    #[inline]
    pub(crate) fn park(&self) -> Park {
        let word = self.word.load(Ordering::Relaxed);
        if word == PARKED {
            return Park::Parked;
        }
        if word == EMPTY {
            // ORDERING: release, so that whoever is told to wake the consumer
            // sees what the consumer did before it parked.
            match self
                .word
                .compare_exchange(EMPTY, PARKED, Ordering::Release, Ordering::Relaxed)
            {
                Ok(_) => return Park::Parked,
                Err(CLOSED) => return Park::Closed,
                Err(_) => return Park::Signals,
            }
        }
        if word == CLOSED {
            Park::Closed
        } else {
            Park::Signals
        }
    }

    /// Takes `park` back: nobody waits for a message any more. For the consumer.
    pub(crate) fn unpark(&self) {
        if self.word.load(Ordering::Relaxed) == PARKED {
            // A failure means that a push has woken the actor already, or a close.
            let _ = self
                .word
                .compare_exchange(PARKED, EMPTY, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// Closes the queue for good and takes what is left. `None` if it was closed.
    pub(crate) fn close(&self) -> Option<Batch> {
        // ORDERING: acquire pairs with the pushes; release lets `is_closed`'s
        // readers see what led to the end; sequentially consistent for [Q1].
        let word = self.word.swap(CLOSED, Ordering::SeqCst);
        if word == CLOSED {
            None
        } else if is_list(word) {
            // SAFETY: [I1] as in `take`.
            Some(unsafe { Batch::reversed(word) }.batch)
        } else {
            Some(Batch::default())
        }
    }

    /// Whether the consumer waits for a message. A hint.
    pub(crate) fn is_parked(&self) -> bool {
        self.word.load(Ordering::Relaxed) == PARKED
    }

    #[inline]
    pub(crate) fn is_closed(&self) -> bool {
        self.word.load(Ordering::Acquire) == CLOSED
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        drop(self.close());
    }
}

/// What has been taken off the word.
#[derive(Default)]
pub(crate) struct Taken {
    pub(crate) batch: Batch,
    /// Whether control signals are in it.
    pub(crate) control: bool,
    pub(crate) messages: u32,
}

/// A link that has left a batch.
pub(super) enum Link {
    /// A node with a message, or a bundle, and how many messages: for another batch, by
    /// `push_link`.
    Messages(NonNull<Node>, u32),
    Control(NodeBox),
}

/// An owned list of nodes and sealed bundles, oldest first.
pub(crate) struct Batch {
    head: *mut Node,
    tail: *mut Node,
}

// SAFETY: it owns its nodes, which are `Send`.
unsafe impl Send for Batch {}

impl Default for Batch {
    fn default() -> Self {
        Batch {
            head: ptr::null_mut(),
            tail: ptr::null_mut(),
        }
    }
}

impl Batch {
    /// Turns a list round.
    ///
    /// # Safety
    /// `newest` heads a list of owned links, linked newest first, that has just been taken
    /// off its word.
    #[inline(always)]
    unsafe fn reversed(newest: *mut Node) -> Taken {
        #[cfg(not(uproar_loom))]
        census::wait_for_looks();
        let tail = newest;
        let mut head = ptr::null_mut();
        let mut at = newest;
        let mut control = false;
        let mut messages = 0;
        while !at.is_null() {
            // SAFETY: by the contract every link of the list is ours.
            unsafe {
                match Node::kind(at) {
                    Kind::Message => messages += 1,
                    Kind::Control => control = true,
                    Kind::Bundle => messages += Bundle::seal(NonNull::new_unchecked(at).cast()),
                }
                let next = (*at).next;
                (*at).next = head;
                head = at;
                at = next;
            }
        }
        Taken {
            batch: Batch { head, tail },
            control,
            messages,
        }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.head.is_null()
    }

    /// Links in it.
    pub(super) fn count(&self) -> usize {
        let mut count = 0;
        let mut at = self.head;
        while !at.is_null() {
            count += 1;
            // SAFETY: the batch owns its links.
            at = unsafe { (*at).next };
        }
        count
    }

    /// The oldest signal.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Queued> {
        let head = NonNull::new(self.head)?;
        // SAFETY: the batch owns its links. A node leaves it; a bundle, with its last
        // message, whose item sees to it.
        unsafe {
            if Node::kind(head.as_ptr()) == Kind::Bundle {
                return Some(Queued::Item(self.pop_item(head)));
            }
            self.advance((*head.as_ptr()).next);
            Some(Queued::Node(NodeBox::from_raw(head)))
        }
    }

    /// # Safety
    /// `head` is the batch's head, and a bundle.
    #[inline(never)]
    unsafe fn pop_item(&mut self, head: NonNull<Node>) -> Item {
        // SAFETY: by the contract.
        unsafe {
            let next = (*head.as_ptr()).next;
            let (item, last) = Bundle::pop(head.cast());
            if last {
                self.advance(next);
            }
            item
        }
    }

    /// The oldest signal, in a node of its own.
    pub(crate) fn pop_node(&mut self) -> Option<NodeBox> {
        self.pop().map(Queued::into_node)
    }

    /// The oldest link, if it has messages only, or the oldest node.
    pub(super) fn pop_link(&mut self) -> Option<Link> {
        let head = NonNull::new(self.head)?;
        // SAFETY: the batch owns its links; this one leaves it.
        unsafe {
            self.advance((*head.as_ptr()).next);
            Some(match Node::kind(head.as_ptr()) {
                Kind::Message => Link::Messages(head, 1),
                Kind::Bundle => Link::Messages(head, Bundle::unread(head.cast())),
                Kind::Control => Link::Control(NodeBox::from_raw(head)),
            })
        }
    }

    /// Moves the nodes with this mark to `to`.
    pub(super) fn extract(&mut self, wanted: &dyn Fn(&NodeBox) -> bool, to: &mut Batch) {
        let mut rest = Batch::default();
        while let Some(link) = self.pop_link() {
            match link {
                // SAFETY: the link has just left the batch; a bundle's messages are
                // never taken back.
                Link::Messages(link, _) => unsafe {
                    if Node::kind(link.as_ptr()) == Kind::Message {
                        let node = NodeBox::from_raw(link);
                        if wanted(&node) {
                            to.push(node);
                        } else {
                            rest.push(node);
                        }
                    } else {
                        rest.push_link(link);
                    }
                },
                Link::Control(node) => rest.push(node),
            }
        }
        self.append(&mut rest);
    }

    #[inline]
    fn advance(&mut self, next: *mut Node) {
        self.head = next;
        pool::prefetch_read(next);
        if next.is_null() {
            self.tail = ptr::null_mut();
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, node: NodeBox) {
        // SAFETY: the node is given away.
        unsafe { self.push_link(node.into_raw()) }
    }

    /// # Safety
    /// The link is the caller's, who gives it away: a node, or a bundle that is sealed.
    #[inline]
    pub(super) unsafe fn push_link(&mut self, link: NonNull<Node>) {
        let node = link.as_ptr();
        // SAFETY: node and tail are owned by the batch from here on.
        unsafe {
            (*node).next = ptr::null_mut();
            if self.tail.is_null() {
                self.head = node;
            } else {
                (*self.tail).next = node;
            }
        }
        self.tail = node;
    }

    /// Takes the oldest message that takes a place out; all else keeps its order.
    pub(crate) fn take_first_message(&mut self) -> Option<NodeBox> {
        let mut passed = Batch::default();
        let mut found = None;
        while let Some(node) = self.pop_node() {
            if node.takes_place() {
                found = Some(node);
                break;
            }
            passed.push(node);
        }
        passed.append(self);
        *self = passed;
        found
    }

    /// Moves all of `other` behind what is here.
    #[inline]
    pub(crate) fn append_all(&mut self, mut other: Batch) {
        self.append(&mut other);
        // Nothing is left in it to drop.
        std::mem::forget(other);
    }

    /// Moves all of `other` behind what is here.
    #[inline]
    pub(crate) fn append(&mut self, other: &mut Batch) {
        if other.head.is_null() {
            return;
        }
        if self.head.is_null() {
            self.head = other.head;
        } else {
            // SAFETY: a list that has a head has a tail, and owns it.
            unsafe { (*self.tail).next = other.head };
        }
        self.tail = other.tail;
        other.head = ptr::null_mut();
        other.tail = ptr::null_mut();
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        // One after the other: a destructor that panics must not lose the rest,
        // and a long list must not recurse.
        struct Rest<'a>(&'a mut Batch);
        impl Drop for Rest<'_> {
            fn drop(&mut self) {
                while let Some(node) = self.0.pop() {
                    crate::process::contain(move || drop(node));
                }
            }
        }
        Rest(self);
    }
}

#[cfg(all(test, uproar_loom))]
#[path = "incoming/models.rs"]
mod loom_models;

#[cfg(all(test, not(uproar_loom)))]
#[path = "incoming/tests.rs"]
mod tests;
