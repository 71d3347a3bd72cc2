//! A message under a matcher, and its way back when it is refused.

use std::cell::UnsafeCell;

use super::node::NodeBox;
use super::queued::Queued;
use super::saved::Place;
use super::store::Candidate;
use super::{Envelope, MailboxState, Policy};
use crate::process::Process;
use crate::scheduler::context;

/// A value that moves as one piece.
///
/// An enum around a message stores its own tag in the message's spare values if it can.
/// Then the compiler moves that part by itself, and what is written in such pieces
/// and read as a whole a moment later stalls the core: 5 ns a message, measured with
/// `benches/peers`, workload `big`.
pub struct Whole<T>(UnsafeCell<T>);

impl<T> Whole<T> {
    /// Wraps it.
    #[inline(always)]
    pub const fn new(value: T) -> Self {
        Whole(UnsafeCell::new(value))
    }

    /// Unwraps it.
    #[inline(always)]
    pub fn into_inner(self) -> T {
        self.0.into_inner()
    }
}

/// One message under a matcher.
pub struct Slot {
    message: Option<Queued>,
}

impl Slot {
    #[inline]
    pub(super) fn new(message: Queued) -> Slot {
        Slot {
            message: Some(message),
        }
    }

    /// Shows the message to `test` if it is a `T`; `test` keeps it or gives it back.
    #[inline]
    pub fn take_if<T, A>(&mut self, test: impl FnOnce(T) -> Result<A, T>) -> Option<A>
    where
        T: Send + 'static,
    {
        self.message.as_mut()?.take_if(test)
    }

    /// Shows the message to `test` whatever it is.
    pub fn take_any_if<A>(
        &mut self,
        test: impl FnOnce(Envelope) -> Result<A, Envelope>,
    ) -> Option<A> {
        match test(Envelope(self.message.take()?.into_node())) {
            Ok(kept) => Some(kept),
            Err(Envelope(node)) => {
                self.message = Some(Queued::Node(node));
                None
            }
        }
    }
}

impl<B> MailboxState<B> {
    /// A message goes into a matcher's hand: it counts as taken (R60).
    ///
    /// # Safety
    /// The caller is the owner of [M4].
    unsafe fn goes_out(&self, node: &NodeBox) {
        // SAFETY: [M4] by the contract.
        unsafe {
            if node.vtable().notice {
                self.store(|store| store.notice_in_hand(true));
            } else {
                self.taken();
            }
        }
    }

    /// A message comes back from a matcher.
    ///
    /// # Safety
    /// The caller is the owner of [M4].
    unsafe fn comes_back(&self, node: &NodeBox) {
        if node.vtable().notice {
            // SAFETY: [M4] by the contract.
            unsafe { self.store(|store| store.notice_in_hand(false)) };
        } else if let Some(bound) = &self.bound {
            bound.reserve_beyond();
        }
    }
}

impl Process {
    /// Takes back a new message that a matcher refused.
    #[cold]
    pub(super) fn skip(&self, mut slot: Slot, arrival: u64) {
        let Some(message) = slot.message.take() else {
            return;
        };
        let node = message.into_node();
        // SAFETY: [M4] this thread polls the actor.
        unsafe { self.mailbox.comes_back(&node) };
        // SAFETY: as above.
        if unsafe { self.mailbox.store(|store| store.skip(node, arrival)) } {
            self.wake_receives();
        }
    }
}

/// Brings a message back to its place, or forgets the place when it was taken or
/// went with a panic.
pub(super) struct Held<'a> {
    process: &'a Process,
    pub(super) slot: Slot,
    arrival: u64,
    place: Option<Place>,
}

impl<'a> Held<'a> {
    #[inline]
    pub(super) fn new(process: &'a Process, candidate: Candidate) -> Self {
        // SAFETY: [M4] this thread polls the actor.
        unsafe { process.mailbox.goes_out(&candidate.node) };
        Held {
            process,
            slot: Slot::new(Queued::Node(candidate.node)),
            arrival: candidate.arrival,
            place: candidate.place,
        }
    }

    #[inline]
    pub(super) fn accept(self) {
        context::count_message();
    }

    #[inline]
    pub(super) fn refuse(mut self) {
        let Some(message) = self.slot.message.take() else {
            return;
        };
        let node = message.into_node();
        let place = self.place.take();
        let mailbox = &self.process.mailbox;
        // SAFETY: [M4] this thread polls the actor.
        unsafe { mailbox.comes_back(&node) };
        let candidate = Candidate {
            node,
            arrival: self.arrival,
            place,
        };
        // SAFETY: [M4] this thread polls the actor.
        let (others, surplus) = unsafe {
            mailbox.store(|store| {
                store.refuse(candidate);
                let surplus = match &mailbox.bound {
                    Some(bound) if bound.policy == Policy::DropOldest && bound.is_over() => {
                        bound.count_drop();
                        store.take_oldest()
                    }
                    _ => None,
                };
                (
                    place.is_none() && (store.waits > 0 || store.has_waiters()),
                    surplus,
                )
            })
        };
        if others {
            self.process.wake_receives();
        }
        if surplus.is_some() {
            mailbox.taken();
            crate::runtime::count_mailbox_drop(self.process);
        }
    }
}

impl Drop for Held<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(place) = self.place {
            // SAFETY: [M4] this thread polls the actor.
            unsafe { self.process.mailbox.store(|store| store.forget(place)) }
        }
    }
}
