//! The mailbox: what has been sent to an actor and not yet received.
//!
//! ```text
//!  senders ──▶ incoming ──drain──▶ front ──▶ matcher ──▶ the receive that takes it
//!              (any thread)        (owner)       │refused or of another type
//!                                                ▼
//!                                              saved ──▶ later receives
//! ```
//!
//! * `[M1]` A message is in exactly one of incoming, front, saved and a matcher's
//!   hand; it leaves the mailbox only when an arm accepts it.
//! * `[M2]` Everything in saved arrived before everything in front, and that before
//!   everything in incoming. Control signals are acted on when they are drained.
//! * `[M3]` When a slice ends with receives waiting, the incoming word is `PARKED`
//!   or the actor is scheduled; and each receive that has not tested some drained
//!   message has been woken.
//! * `[M4]` `Store` is touched by the owner only: the thread that polls the actor,
//!   or the one that won the close. With `drop_oldest`, senders touch it too, and
//!   everyone holds the `staged` lock.
//!
//! A link of the incoming queue is a node with one signal, or a bundle with the messages
//! that one sender has sent in a row: see `node`, `bundle` and `stream`.
//!
//! Checked by the models in `incoming` and `bundle`, the tests of `saved` and `store`, and the
//! receive tests on seeds. This part knows no threads and no scheduler.

mod bound;
mod bundle;
#[cfg(not(uproar_loom))]
mod census;
mod envelope;
mod incoming;
mod limit;
mod marked;
mod node;
#[cfg(not(uproar_loom))]
mod pool;
#[cfg(uproar_loom)]
#[path = "pool_loom.rs"]
mod pool;
mod queued;
mod saved;
mod scan;
mod slot;
mod store;
mod stream;

pub use bound::Mailbox;
pub(crate) use bound::{Bound, Policy, Room, Ticket};
pub use envelope::Envelope;
pub(crate) use incoming::{Batch, Incoming, Park, Peek, Pushed, Taken};
pub use limit::{Deadline, Forever, Limit};
pub(crate) use marked::Mark;
pub(crate) use node::NodeBox;
pub use saved::Wants;
pub use scan::{Scan, Step};
pub use slot::{Slot, Whole};
pub(crate) use store::Store;

use std::any::TypeId;
use std::cell::UnsafeCell;

use crate::signals::Signal;

/// A mailbox that takes no message.
pub(crate) enum Refused<M> {
    /// The actor is gone.
    Gone(M),
    /// There is no room.
    Full(M),
}

/// A mailbox, with what its process keeps `between` the two ends of it.
///
/// Senders write the first field, the owner the last, both for every message: on
/// one cache line they would take it from each other each time. [`APART`] is checked
/// where `B` is known.
#[repr(C)]
pub(crate) struct MailboxState<B> {
    pub(crate) incoming: Incoming,
    pub(crate) bound: Option<Box<Bound>>,
    pub(crate) between: B,
    store: UnsafeCell<Store>,
}

impl<B> MailboxState<B> {
    /// Whether no cache line of 64 bytes has both ends in it, wherever it begins.
    pub(crate) const APART: bool = std::mem::offset_of!(Self, store) >= 64 + size_of::<Incoming>();
}

// SAFETY: [M4] says who reaches `store`; the rest is `Sync` by itself.
unsafe impl<B: Sync> Sync for MailboxState<B> {}
// SAFETY: it owns its messages, which are `Send`.
unsafe impl<B: Send> Send for MailboxState<B> {}

impl<B> MailboxState<B> {
    pub(crate) fn new(kind: Mailbox, between: B) -> Self {
        let bound = kind.bound();
        MailboxState {
            incoming: Incoming::new(),
            between,
            store: UnsafeCell::new(Store::new(
                bound.is_some(),
                bound
                    .as_ref()
                    .is_some_and(|bound| bound.policy == Policy::DropOldest),
            )),
            bound,
        }
    }

    /// The owner's part. `f` runs no user code.
    ///
    /// # Safety
    /// The caller is the owner of [M4], and not inside another call.
    #[inline]
    pub(crate) unsafe fn store<R>(&self, f: impl FnOnce(&mut Store) -> R) -> R {
        // SAFETY: [M4] by the contract.
        if let Some(store) = unsafe { self.unlocked() } {
            return f(store);
        }
        let bound = self
            .bound
            .as_ref()
            .expect("only a bounded mailbox is locked");
        let staged = bound.lock_staged();
        // SAFETY: [M4] the lock is held.
        let result = f(unsafe { &mut *self.store.get() });
        drop(staged);
        result
    }

    /// The owner's part where senders never touch it: without `drop_oldest`.
    ///
    /// # Safety
    /// As for [`store`](Self::store); and no user code runs while the reference lives.
    #[inline]
    #[expect(clippy::mut_from_ref, reason = "[M4] there is one owner")]
    pub(crate) unsafe fn unlocked(&self) -> Option<&mut Store> {
        let store = self.store.get();
        // SAFETY: [M4] by the contract; `locked` never changes, so that it may be
        // read beside a sender that has the lock.
        unsafe {
            if (&raw const (*store).locked).read() {
                return None;
            }
            Some(&mut *store)
        }
    }

    /// Whether anything has been sent that the owner has not drained.
    #[inline]
    pub(crate) fn has_incoming(&self) -> bool {
        self.incoming.has_signals()
            || self
                .bound
                .as_ref()
                .is_some_and(|b| b.policy == Policy::DropOldest && !b.lock_staged().is_empty())
    }

    /// Messages that have been sent and not drained. For anyone.
    pub(crate) fn undrained(&self) -> usize {
        let staged = match &self.bound {
            Some(bound) if bound.policy == Policy::DropOldest => bound.lock_staged().count(),
            _ => 0,
        };
        staged + self.incoming.count()
    }

    /// Moves what has come to the front, in order, and gives control signals to `act`.
    ///
    /// # Safety
    /// As for [`store`](Self::store).
    #[inline]
    pub(crate) unsafe fn drain(&self, mut act: impl FnMut(&mut Store, Signal)) {
        if !self.has_incoming() {
            return;
        }
        let mut settle = |store: &mut Store, batch: Batch| store.arrive(batch, &mut act);
        match &self.bound {
            Some(bound) if bound.policy == Policy::DropOldest => {
                let mut staged = bound.lock_staged();
                staged.append(&mut self.incoming.take());
                let batch = std::mem::take(&mut *staged);
                // SAFETY: [M4] the lock is held.
                settle(unsafe { &mut *self.store.get() }, batch);
            }
            // SAFETY: [M4] by the contract.
            _ => settle(unsafe { &mut *self.store.get() }, self.incoming.take()),
        }
    }

    /// Queues a message, in a place that the sender has reserved if there is a bound.
    #[inline(always)]
    pub(crate) fn push<M: Send + 'static>(&self, message: M) -> Result<Pushed, M> {
        let Some(bound) = &self.bound else {
            return stream::push(&self.incoming, message);
        };
        // Not in bundles: few messages are ever queued, and nodes go round in the
        // first-level cache. Measured with 64 places: 28 ns a message against 60.
        let node = NodeBox::message(message);
        self.incoming.push(node).map_err(|node| {
            bound.release(1);
            node.take_back()
        })
    }

    /// Queues a message if the mailbox takes it.
    ///
    /// `dropped` gets what a full mailbox drops instead of refusing; the caller
    /// lets go of it when this has returned.
    #[inline(always)]
    pub(crate) fn send<M: Send + 'static>(
        &self,
        message: M,
        dropped: &mut Option<NodeBox>,
    ) -> Result<Pushed, Refused<M>> {
        if let Some(bound) = &self.bound {
            if self.incoming.is_closed() {
                return Err(Refused::Gone(message));
            }
            if !bound.reserve() {
                return self.send_beyond(bound, message, dropped);
            }
        }
        self.push(message).map_err(Refused::Gone)
    }

    /// Does with a message for which there is no room what the policy says.
    #[cold]
    fn send_beyond<M: Send + 'static>(
        &self,
        bound: &Bound,
        message: M,
        dropped: &mut Option<NodeBox>,
    ) -> Result<Pushed, Refused<M>> {
        match bound.policy {
            Policy::Refuse => Err(Refused::Full(message)),
            Policy::DropNewest => {
                bound.count_drop();
                *dropped = Some(NodeBox::message(message));
                Ok(Pushed::Queued)
            }
            Policy::DropOldest => self
                .replace_oldest(bound, NodeBox::message(message), dropped)
                .map_err(|node| Refused::Gone(node.take_back())),
        }
    }

    /// Queues a node if the mailbox takes it, as [`send`](Self::send) does a message.
    pub(crate) fn send_node(
        &self,
        node: NodeBox,
        dropped: &mut Option<NodeBox>,
    ) -> Result<Pushed, Refused<NodeBox>> {
        match &self.bound {
            None => self.incoming.push(node).map_err(Refused::Gone),
            Some(_) if self.incoming.is_closed() => Err(Refused::Gone(node)),
            Some(bound) if bound.reserve() => self.incoming.push(node).map_err(|node| {
                bound.release(1);
                Refused::Gone(node)
            }),
            Some(bound) => match bound.policy {
                Policy::Refuse => Err(Refused::Full(node)),
                Policy::DropNewest => {
                    bound.count_drop();
                    *dropped = Some(node);
                    Ok(Pushed::Queued)
                }
                Policy::DropOldest => self
                    .replace_oldest(bound, node, dropped)
                    .map_err(Refused::Gone),
            },
        }
    }

    /// Takes the messages with this mark out of what has been drained.
    ///
    /// # Safety
    /// As for [`store`](Self::store).
    pub(crate) unsafe fn extract(&self, mark: *const ()) -> Batch {
        let mut found = Batch::default();
        // SAFETY: [M4] by the contract.
        let count = unsafe {
            self.store(|store| {
                store.extract(None, &|node| node.has_mark(mark), &mut found);
                found.count()
            })
        };
        for _ in 0..count {
            self.taken();
        }
        found
    }

    /// Takes notices out of what has been drained.
    ///
    /// # Safety
    /// As for [`store`](Self::store).
    pub(crate) unsafe fn extract_notices<N: 'static>(&self, which: impl Fn(&N) -> bool) -> Batch {
        let mut found = Batch::default();
        let wanted = |node: &NodeBox| node.peek().is_some_and(&which);
        // SAFETY: [M4] by the contract.
        unsafe {
            self.store(|store| store.extract_notices(TypeId::of::<N>(), &wanted, &mut found));
        }
        found
    }

    fn replace_oldest(
        &self,
        bound: &Bound,
        node: NodeBox,
        dropped: &mut Option<NodeBox>,
    ) -> Result<Pushed, NodeBox> {
        let mut staged = bound.lock_staged();
        if !bound.reserve() {
            // SAFETY: [M4] the lock is held.
            let store = unsafe { &mut *self.store.get() };
            *dropped = store.take_oldest().or_else(|| {
                staged.append(&mut self.incoming.take());
                staged.take_first_message()
            });
            bound.count_drop();
            if dropped.is_none() {
                // All there is, is in a matcher's hand: the new one goes.
                *dropped = Some(node);
                return Ok(Pushed::Queued);
            }
            // The new message has the old one's place.
        }
        self.incoming.push(node).inspect_err(|_| bound.release(1))
    }

    /// Ends the mailbox: refuses what comes and returns all that is left, oldest
    /// first. `None` if someone else ended it.
    ///
    /// # Safety
    /// The caller is the owner of [M4], or is about to become it by this close
    /// while the owner is stuck in user code; then only incoming messages come
    /// back, and the owner keeps the rest.
    pub(crate) unsafe fn close(&self, owner: bool) -> Option<Batch> {
        let last = self.incoming.close();
        if let Some(bound) = &self.bound {
            bound.close();
        }
        let mut rest = Batch::default();
        let staged = match &self.bound {
            Some(bound) if bound.policy == Policy::DropOldest => Some(bound.lock_staged()),
            _ => None,
        };
        if owner {
            // SAFETY: [M4] by the contract.
            unsafe { &mut *self.store.get() }.empty_into(&mut rest);
        }
        if let Some(mut staged) = staged {
            rest.append(&mut staged);
        }
        let won = last.is_some();
        if let Some(mut last) = last {
            rest.append(&mut last);
        }
        if won || !rest.is_empty() {
            Some(rest)
        } else {
            None
        }
    }

    /// A message has left the mailbox, and frees its place. For the owner.
    ///
    /// While senders wait, places are handed on together: see [`Bound::free`].
    #[inline]
    pub(crate) fn taken(&self) {
        if let Some(bound) = &self.bound {
            if !bound.has_waiting() {
                bound.release(1);
            } else if bound.free() {
                bound.hand_on();
            }
        }
    }

    /// Hands on the places that were kept back: at the end of the slice at the latest.
    /// For the owner.
    pub(crate) fn hand_on(&self) {
        if let Some(bound) = &self.bound {
            bound.hand_on();
        }
    }
}

#[cfg(all(test, uproar_loom))]
#[path = "models.rs"]
mod loom_models;
