//! The owner's part of a mailbox.

use std::any::TypeId;
use std::task::Waker;

use slab::Slab;

use super::incoming::{Batch, Link};
use super::node::NodeBox;
use super::queued::Queued;
use super::saved::{Cursor, Place, Saved, Wants};
use crate::process::ExitReason;
use crate::scheduler::context;
use crate::signals::Signal;

/// Messages below which a batch is small, and small ones in a row before the
/// receiver lets one grow, for so many turns of a spin loop: some 300 ns.
const SMALL_BATCH: u8 = 16;
const PATIENCE: u8 = 2;
const PAUSE: u32 = 24;

/// What an actor's own thread keeps of its mailbox. The part that most actors
/// never need is in `rest`.
#[derive(Default)]
pub(crate) struct Store {
    /// Drained and not yet looked at, oldest first. Messages only.
    pub(super) front: Batch,
    /// Messages that have left `front`, which numbers them.
    arrivals: u64,
    /// Messages that have entered `front`: the low half of a number like `arrivals`.
    entered: u32,
    /// Messages that came with the last drain, 255 at most, and how many drains in a row
    /// brought few.
    last_batch: u8,
    small_batches: u8,
    /// Others have been told of messages that are kept.
    pub(crate) reported: bool,
    /// Receives that wait under the actor's own waker.
    pub(crate) waits: u32,
    /// There is a bound, and senders reach into the store: for the owner, beside
    /// what it uses.
    pub(super) bounded: bool,
    pub(super) locked: bool,
    rest: Option<Box<Rest>>,
}

#[derive(Default)]
struct Rest {
    saved: Saved,
    /// Receives that wait under wakers of their own (`join!`, `FuturesUnordered` ..).
    waiters: Slab<Waker>,
    exit: Option<ExitReason>,
    /// Reasons that nobody gets. Each may have a destructor of the user's.
    unused_reasons: Vec<ExitReason>,
    /// `Down` and `Exit` messages that have not been received, or are in a matcher's hand.
    notices: u32,
}

/// A message on its way to a matcher.
pub(crate) struct Candidate {
    pub(crate) node: NodeBox,
    pub(crate) arrival: u64,
    /// Where it waits to come back to; `None` if it came from the front.
    pub(crate) place: Option<Place>,
}

impl Store {
    pub(super) fn new(bounded: bool, locked: bool) -> Store {
        Store {
            bounded,
            locked,
            ..Store::default()
        }
    }

    fn rest(&mut self) -> &mut Rest {
        self.rest.get_or_insert_default()
    }

    /// Takes in what has been drained, and gives control signals to `act`.
    #[inline]
    pub(crate) fn arrive(&mut self, mut batch: Batch, act: &mut impl FnMut(&mut Store, Signal)) {
        while let Some(link) = batch.pop_link() {
            match link {
                // SAFETY: it has just left the batch.
                Link::Messages(link, messages) => unsafe {
                    self.enter(messages);
                    self.front.push_link(link);
                },
                Link::Control(mut node) => {
                    let signal = node.take().expect("control nodes hold signals");
                    act(self, signal);
                }
            }
        }
    }

    #[inline]
    pub(crate) fn has_front(&self) -> bool {
        !self.front.is_empty()
    }

    /// Messages that have been looked at so far.
    #[inline]
    pub(crate) fn arrivals(&self) -> u64 {
        self.arrivals
    }

    /// Whether there are saved messages that a receive could want.
    #[inline]
    pub(crate) fn has_saved(&self) -> bool {
        self.rest
            .as_ref()
            .is_some_and(|rest| !rest.saved.is_empty())
    }

    /// The next saved message that `cursor`'s receive has to test.
    pub(crate) fn next_saved(&mut self, wants: Wants, cursor: &mut Cursor) -> Option<Candidate> {
        let saved = &mut self.rest.as_mut()?.saved;
        let place = saved.next(wants, cursor)?;
        Some(Candidate {
            node: saved
                .lend(place)
                .expect("a cursor passes lent messages over"),
            arrival: saved.arrival(place),
            place: Some(place),
        })
    }

    /// Lets a batch grow. For a receiver that has found next to nothing several times
    /// in this slice, so that a sender on another core gives it one message after the
    /// other, and each time the two take the queue's cache line from each other.
    #[inline]
    pub(super) fn await_batch(&mut self) {
        if self.last_batch < SMALL_BATCH {
            self.small_batches = self.small_batches.saturating_add(1);
            if self.small_batches > PATIENCE && !context::has_sent_to_self() {
                for _ in 0..PAUSE {
                    std::hint::spin_loop();
                }
            }
        } else {
            self.small_batches = 0;
        }
    }

    /// A slice begins.
    #[inline]
    pub(crate) fn begin_slice(&mut self) {
        self.small_batches = 0;
    }

    /// Takes in so many messages, with no other signals among them.
    #[inline]
    pub(crate) fn take_in(&mut self, batch: Batch, messages: u32) {
        self.enter(messages);
        self.last_batch = messages.min(u32::from(u8::MAX)) as u8;
        self.front.append_all(batch);
    }

    #[inline]
    fn enter(&mut self, messages: u32) {
        self.entered = self.entered.wrapping_add(messages);
    }

    /// Messages in the front.
    fn front_len(&self) -> usize {
        self.entered.wrapping_sub(self.arrivals as u32) as usize
    }

    /// Messages that have been drained and not received, and those of them that a receive
    /// has skipped.
    pub(crate) fn kept(&self) -> (usize, usize) {
        let saved = self.rest.as_ref().map_or(0, |rest| rest.saved.len());
        (self.front_len() + saved, saved)
    }

    /// The next message of the front, wanted or not; its number is `arrivals`.
    #[inline]
    pub(super) fn pop_front(&mut self) -> Option<Queued> {
        let node = self.front.pop()?;
        self.arrivals += 1;
        Some(node)
    }

    /// Whether there is a bound.
    #[inline]
    pub(crate) fn is_bounded(&self) -> bool {
        self.bounded
    }

    /// Whether the owner has ever needed more than a front: saved a message, waited
    /// under a waker that is not the actor's own, or got an exit signal.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.rest.is_none()
    }

    /// Whether a receive that has tested all up to `seen` has saved messages to test.
    pub(crate) fn must_look_back(&self, wants: Wants, seen: u64) -> bool {
        seen < self.arrivals
            && self
                .rest
                .as_ref()
                .is_some_and(|rest| rest.saved.has_any(wants))
    }

    /// Saves a message that a receive skipped. Whether others wait that may want it.
    #[cold]
    pub(crate) fn skip(&mut self, node: NodeBox, arrival: u64) -> bool {
        self.rest().saved.insert(node, arrival);
        self.waits > 0 || self.has_waiters()
    }

    /// The next message of the front, wanted or not.
    #[inline]
    pub(crate) fn next_front(&mut self) -> Option<Candidate> {
        let node = self.front.pop_node()?;
        self.arrivals += 1;
        Some(Candidate {
            node,
            arrival: self.arrivals,
            place: None,
        })
    }

    /// Takes a refused message back.
    pub(super) fn refuse(&mut self, candidate: Candidate) {
        let Candidate {
            node,
            arrival,
            place,
        } = candidate;
        let saved = &mut self.rest().saved;
        match place {
            Some(place) => saved.give_back(place, node),
            None => saved.insert(node, arrival),
        }
    }

    /// Forgets the place of a message that was taken, or lost with a panic.
    pub(crate) fn forget(&mut self, place: Place) {
        let lent = self.rest().saved.remove(place);
        debug_assert!(lent.is_none(), "the message is in the matcher's hand");
    }

    /// The oldest message that no matcher has and that takes a place.
    pub(super) fn take_oldest(&mut self) -> Option<NodeBox> {
        if let Some(rest) = &mut self.rest
            && let Some(place) = rest.saved.oldest(NodeBox::takes_place)
        {
            return rest.saved.remove(place);
        }
        let node = self.front.take_first_message();
        self.arrivals += u64::from(node.is_some());
        node
    }

    /// Moves the messages that `wanted` says to `to`, oldest first: of one type, or of all.
    pub(super) fn extract(
        &mut self,
        of: Option<TypeId>,
        wanted: &dyn Fn(&NodeBox) -> bool,
        to: &mut Batch,
    ) {
        if let Some(rest) = &mut self.rest {
            rest.saved.extract(of, wanted, to);
        }
        let before = to.count();
        self.front.extract(wanted, to);
        self.entered = self.entered.wrapping_sub((to.count() - before) as u32);
    }

    /// Moves the notices that `wanted` says to `to`, oldest first.
    pub(super) fn extract_notices(
        &mut self,
        of: TypeId,
        wanted: &dyn Fn(&NodeBox) -> bool,
        to: &mut Batch,
    ) {
        if self.rest.as_ref().is_some_and(|rest| rest.notices > 0) {
            self.extract(Some(of), wanted, to);
            self.rest().notices -= to.count() as u32;
        }
    }

    /// Moves all messages to `to`, oldest first.
    pub(super) fn empty_into(&mut self, to: &mut Batch) {
        if let Some(rest) = &mut self.rest {
            while let Some(place) = rest.saved.oldest(|_| true) {
                let node = rest.saved.remove(place).expect("not lent");
                to.push(node);
            }
        }
        to.append(&mut self.front);
    }

    /// Registers a receive that waits under a waker of its own.
    pub(crate) fn add_waiter(&mut self, waker: Waker) -> usize {
        self.rest().waiters.insert(waker)
    }

    pub(crate) fn remove_waiter(&mut self, key: usize) -> Option<Waker> {
        self.rest().waiters.try_remove(key)
    }

    /// Takes the wakers of the receives that wait under wakers of their own, to wake
    /// them. The receives stay registered until they look.
    pub(crate) fn take_wakers(&mut self) -> Vec<Waker> {
        let Some(rest) = &mut self.rest else {
            return Vec::new();
        };
        rest.waiters
            .iter_mut()
            .map(|(_, waker)| std::mem::replace(waker, Waker::noop().clone()))
            .collect()
    }

    #[inline]
    pub(crate) fn has_waiters(&self) -> bool {
        self.rest
            .as_ref()
            .is_some_and(|rest| !rest.waiters.is_empty())
    }

    /// Decides the exit, unless it is decided: the first signal wins (R26).
    pub(crate) fn decide_exit(&mut self, reason: ExitReason) {
        let rest = self.rest();
        if rest.exit.is_none() {
            rest.exit = Some(reason);
        } else {
            self.keep_reason(reason);
        }
    }

    /// Takes the reason out that a signal has decided. At the end of the actor's end.
    pub(crate) fn take_exit(&mut self) -> Option<ExitReason> {
        self.rest.as_mut()?.exit.take()
    }

    /// Keeps a reason that nobody gets until a place where its destructor may run.
    pub(crate) fn keep_reason(&mut self, reason: ExitReason) {
        if let ExitReason::Error(_) = reason {
            self.rest().unused_reasons.push(reason);
        }
    }

    /// The reasons that have been kept, to be dropped with no reference to the store.
    pub(crate) fn take_unused_reasons(&mut self) -> Vec<ExitReason> {
        match &mut self.rest {
            Some(rest) if !rest.unused_reasons.is_empty() => {
                std::mem::take(&mut rest.unused_reasons)
            }
            _ => Vec::new(),
        }
    }

    /// Puts a message of the runtime behind what has arrived.
    pub(crate) fn notice<N: Send + 'static>(&mut self, notice: N) {
        self.rest().notices += 1;
        self.enter(1);
        self.front.push(NodeBox::notice(notice));
    }

    /// A notice goes into a matcher's hand, or comes back.
    #[cold]
    pub(super) fn notice_in_hand(&mut self, in_hand: bool) {
        let notices = &mut self.rest().notices;
        *notices = if in_hand { *notices - 1 } else { *notices + 1 };
    }

    /// The exit that a signal has decided.
    #[inline]
    pub(crate) fn exit(&self) -> Option<&ExitReason> {
        self.rest.as_ref()?.exit.as_ref()
    }
}

#[cfg(all(test, not(uproar_loom)))]
#[path = "store/tests.rs"]
mod tests;
