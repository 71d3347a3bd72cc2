//! Room in a bounded mailbox.
//!
//! `[B1]` `taken` is the number of messages that the mailbox holds plus the places
//! that have been promised to waiting senders; it exceeds the capacity only while
//! a refused message goes back.
//! `[B2]` A place that comes free goes to the sender that has waited longest, by the
//! end of the receiver's slice.

use std::collections::VecDeque;
use std::sync::{LazyLock, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant};

use slab::Slab;

use super::incoming::Batch;
use crate::scheduler::context;
use crate::sync::{AtomicU64, AtomicUsize, Mutex, MutexGuard, Ordering, spin_loop, total_order};

/// How many messages an actor's mailbox holds, and what happens to one too many.
///
/// Only messages count. Exit signals and other control signals take no room and
/// never wait behind a full mailbox.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() {
///     let newest = Spawn::new()
///         .mailbox(Mailbox::bounded(1).drop_oldest())
///         .spawn(async {
///             let Typed(n) = receive::<Typed<u32>>().await;
///             assert_eq!(n, 3);
///         })
///         .unwrap();
///     for n in 1..=3u32 {
///         newest.send(n);
///     }
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Mailbox {
    limit: Option<(usize, Policy)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Policy {
    Refuse,
    DropNewest,
    DropOldest,
}

impl Mailbox {
    /// No bound: the default.
    pub fn unbounded() -> Mailbox {
        Mailbox { limit: None }
    }

    /// At most `capacity` messages.
    ///
    /// A full one refuses: `send` drops and counts, `try_send` gives the message
    /// back with [`SendError::Full`](crate::prelude::SendError), `deliver` and `ask`
    /// wait for room.
    ///
    /// # Panics
    /// If `capacity` is zero: such a mailbox could never take a message.
    pub fn bounded(capacity: usize) -> Mailbox {
        assert!(
            capacity > 0,
            "uproar: a mailbox holds at least one message; use `Mailbox::bounded(1)` or more"
        );
        Mailbox {
            limit: Some((capacity, Policy::Refuse)),
        }
    }

    /// A full mailbox drops what comes and counts it; every send succeeds.
    ///
    /// # Panics
    /// If the mailbox is unbounded: it is never full.
    pub fn drop_newest(self) -> Mailbox {
        self.policy(Policy::DropNewest, "drop_newest")
    }

    /// A full mailbox drops the oldest message in it and counts it; every send succeeds.
    ///
    /// # Panics
    /// If the mailbox is unbounded: it is never full.
    pub fn drop_oldest(self) -> Mailbox {
        self.policy(Policy::DropOldest, "drop_oldest")
    }

    fn policy(self, policy: Policy, name: &str) -> Mailbox {
        let Some((capacity, _)) = self.limit else {
            panic!("uproar: an unbounded mailbox never drops; use `Mailbox::bounded(n).{name}()`");
        };
        Mailbox {
            limit: Some((capacity, policy)),
        }
    }

    pub(crate) fn bound(self) -> Option<Box<Bound>> {
        let (capacity, policy) = self.limit?;
        Some(Box::new(Bound {
            capacity,
            policy,
            taken: AtomicUsize::new(0),
            drops: AtomicU64::new(0),
            waiting: AtomicUsize::new(0),
            queue: Mutex::default(),
            freed: AtomicUsize::new(0),
            freeing_since: AtomicU64::new(0),
            staged: Mutex::default(),
        }))
    }
}

/// A receiver that takes longer for half of its mailbox hands on that half while it
/// goes on with the other.
const SLOW: Duration = Duration::from_micros(20);

pub(crate) struct Bound {
    capacity: usize,
    pub(crate) policy: Policy,
    taken: AtomicUsize,
    drops: AtomicU64,
    /// Senders in the queue, counted also while they are about to enter it.
    waiting: AtomicUsize,
    queue: Mutex<Queue>,
    /// The owner's: places that it has freed and not handed on yet, and when it freed the
    /// first of them.
    freed: AtomicUsize,
    freeing_since: AtomicU64,
    /// With `DropOldest`: what a sender has drained to find the oldest. The lock
    /// is the right to consume, the receiver takes it too.
    pub(crate) staged: Mutex<Batch>,
}

#[derive(Default)]
struct Queue {
    order: VecDeque<usize>,
    senders: Slab<Sender>,
    closed: bool,
}

enum Sender {
    Waits(Waker),
    /// A place is its own.
    Granted,
}

/// A sender's place in the queue for room.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticket(usize);

/// What a look at the queue said.
pub(crate) enum Room {
    /// A place is reserved.
    Reserved,
    /// Wait with this ticket.
    Wait(Ticket),
    /// Nobody receives any more.
    Closed,
}

/// Monotonic time.
fn now_ns() -> u64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_nanos() as u64
}

impl Bound {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn lock_staged(&self) -> MutexGuard<'_, Batch> {
        self.staged.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place if there is one.
    #[inline]
    pub(crate) fn reserve(&self) -> bool {
        // ORDERING: sequentially consistent, against `release`: of a sender that
        // queues up and then finds no room, and a receiver that frees a place and
        // then finds nobody waiting, at least one sees the other.
        self.taken
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |taken| {
                (taken < self.capacity).then_some(taken + 1)
            })
            .is_ok()
    }

    /// Takes a place beyond the capacity, for a message that goes back.
    pub(crate) fn reserve_beyond(&self) {
        self.taken.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.taken.load(Ordering::SeqCst) > self.capacity
    }

    /// Whether senders wait. A hint.
    pub(crate) fn has_waiting(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Frees a place while senders wait. Whether those that have been freed are to be
    /// handed on now. For the owner.
    ///
    /// Places go on together when the slice ends: one by one, each sender would run for
    /// a single message, and on another core it would take the mailbox's cache lines
    /// from the receiver. But a receiver that takes its time lets the senders work
    /// meanwhile. Measured with 64 places and 8 senders: 97 ns a message when half of
    /// them are always handed on early, 76 ns like this.
    pub(crate) fn free(&self) -> bool {
        let freed = self.freed.load(Ordering::Relaxed) + 1;
        self.freed.store(freed, Ordering::Relaxed);
        let half = self.capacity.div_ceil(2);
        if freed >= self.capacity {
            return true;
        }
        if context::is_manual() {
            // Decided by no clock.
            return freed >= half;
        }
        if freed == 1 {
            self.freeing_since.store(now_ns(), Ordering::Relaxed);
        }
        freed == half && {
            let taken = now_ns() - self.freeing_since.load(Ordering::Relaxed);
            taken > SLOW.as_nanos() as u64
        }
    }

    /// Hands on the places that have been freed. For the owner.
    pub(crate) fn hand_on(&self) {
        let freed = self.freed.load(Ordering::Relaxed);
        self.freed.store(0, Ordering::Relaxed);
        self.release(freed);
    }

    /// Frees places, or hands them to the first senders in the queue.
    #[inline]
    pub(crate) fn release(&self, mut places: usize) {
        if self.waiting.load(Ordering::SeqCst) > 0 {
            places -= self.grant(places);
        }
        if places == 0 {
            return;
        }
        self.taken.fetch_sub(places, Ordering::SeqCst);
        total_order();
        // Someone may have queued up in between and not seen the places.
        while self.waiting.load(Ordering::SeqCst) > 0 && self.reserve() {
            if self.grant(1) == 0 {
                self.taken.fetch_sub(1, Ordering::SeqCst);
                total_order();
                spin_loop();
            }
        }
    }

    /// Makes places of the caller's the first waiting senders'. How many.
    #[cold]
    fn grant(&self, places: usize) -> usize {
        /// So many are woken after one look at the queue.
        const AT_ONCE: usize = 16;
        let mut granted = 0;
        while granted < places {
            let mut wakers = [const { None }; AT_ONCE];
            let mut queue = self.queue();
            let first = queue.order.len().min(AT_ONCE).min(places - granted);
            for waker in &mut wakers[..first] {
                let key = queue.order.pop_front().expect("so many wait");
                match std::mem::replace(&mut queue.senders[key], Sender::Granted) {
                    Sender::Waits(its) => *waker = Some(its),
                    Sender::Granted => unreachable!("who has a place waits for none"),
                }
            }
            if first > 0 {
                self.waiting.fetch_sub(first, Ordering::SeqCst);
            }
            drop(queue);
            granted += first;
            wakers.into_iter().flatten().for_each(Waker::wake);
            if first < AT_ONCE {
                break;
            }
        }
        granted
    }

    /// Reserves a place or queues up for one.
    pub(crate) fn wait(&self, ticket: Option<Ticket>, waker: &Waker) -> Room {
        match ticket {
            Some(ticket) => self.wait_on(ticket, waker),
            None => self.queue_up(waker),
        }
    }

    fn queue_up(&self, waker: &Waker) -> Room {
        // Wakers may be of the user's making: they are cloned and dropped with no lock held.
        let waker = waker.clone();
        let mut queue = self.queue();
        if queue.closed {
            return Room::Closed;
        }
        // ORDERING: announced before the last look for room, see `reserve`.
        self.waiting.fetch_add(1, Ordering::SeqCst);
        total_order();
        if queue.order.is_empty() && self.reserve() {
            self.waiting.fetch_sub(1, Ordering::SeqCst);
            drop(queue);
            return Room::Reserved;
        }
        let key = queue.senders.insert(Sender::Waits(waker));
        queue.order.push_back(key);
        Room::Wait(Ticket(key))
    }

    fn wait_on(&self, Ticket(key): Ticket, waker: &Waker) -> Room {
        let mut other = None;
        loop {
            let mut queue = self.queue();
            let closed = queue.closed;
            match &mut queue.senders[key] {
                Sender::Waits(_) if closed => {
                    let old = queue.senders.remove(key);
                    drop(queue);
                    drop(old);
                    return Room::Closed;
                }
                Sender::Waits(old) if old.will_wake(waker) => return Room::Wait(Ticket(key)),
                Sender::Waits(old) => {
                    let Some(new) = other.take() else {
                        // Cloned with no lock held, as above.
                        drop(queue);
                        other = Some(waker.clone());
                        continue;
                    };
                    let old = std::mem::replace(old, new);
                    drop(queue);
                    drop(old);
                    return Room::Wait(Ticket(key));
                }
                Sender::Granted => {
                    queue.senders.remove(key);
                    return Room::Reserved;
                }
            }
        }
    }

    /// Leaves the queue; a place that was granted meanwhile goes on to the next.
    pub(crate) fn leave(&self, Ticket(key): Ticket) {
        let mut queue = self.queue();
        match queue.senders.remove(key) {
            Sender::Granted => {
                drop(queue);
                self.release(1);
            }
            Sender::Waits(waker) => {
                if !queue.closed {
                    queue.order.retain(|&k| k != key);
                    self.waiting.fetch_sub(1, Ordering::SeqCst);
                }
                drop(queue);
                drop(waker);
            }
        }
    }

    /// The receiver is gone: whoever waits learns it.
    pub(crate) fn close(&self) {
        let wakers: Vec<Waker> = {
            let mut queue = self.queue();
            queue.closed = true;
            self.waiting.store(0, Ordering::SeqCst);
            let order = std::mem::take(&mut queue.order);
            order
                .into_iter()
                .filter_map(|key| match &queue.senders[key] {
                    Sender::Waits(waker) => Some(waker.clone()),
                    Sender::Granted => None,
                })
                .collect()
        };
        wakers.into_iter().for_each(Waker::wake);
    }

    pub(crate) fn count_drop(&self) {
        self.drops.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(all(test, uproar_loom))]
#[path = "bound/models.rs"]
mod loom_models;

#[cfg(all(test, not(uproar_loom)))]
#[path = "bound/tests.rs"]
mod tests;
