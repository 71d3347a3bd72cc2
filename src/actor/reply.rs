//! The slot through which one reply travels.
//!
//! ```text
//!            asker waits            replier: reply or failure
//!   EMPTY ──────────────▶ WAITING ──▶ TAKING ──▶ DONE
//!     │ ╲                   │           ╱ asker gives up
//!     │  ╲──── reply ───────┼──────────────────▶ DONE
//!     └── asker gives up ───┴──▶ GONE
//! ```
//!
//! * `[A1]` The slot has two holders, asker and replier; the one that finds the other
//!   finished frees it.
//! * `[A2]` `waker` belongs to the asker in `EMPTY`, to the replier from `TAKING` on;
//!   `outcome` to the replier until `DONE`, then to the asker.
//! * `[A3]` A `ReplyTo` that is dropped answers too: with `NoReply`, or with `Gone`
//!   when its holder ends. Within an actor's slice that answer waits for the end of
//!   the slice, when it is known which of the two it is.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr::{self, NonNull};
use std::task::{Poll, Waker};

use super::ask::AskError;
use crate::process::ExitReason;
use crate::scheduler::context;
use crate::sync::{AtomicU32, Ordering, UnsafeCell};

const EMPTY: u32 = 0;
const WAITING: u32 = 1;
/// The replier takes the waker.
const TAKING: u32 = 2;
const DONE: u32 = 3;
/// The asker is gone.
const GONE: u32 = 4;
/// The asker went while the replier was taking the waker.
const GONE_TAKING: u32 = 5;

struct Slot<R> {
    state: AtomicU32,
    waker: UnsafeCell<Option<Waker>>,
    outcome: UnsafeCell<Option<Result<R, AskError>>>,
    /// The next dropped `ReplyTo` of this slice. [A3]
    deferred: Deferred,
    /// Lets a model see a slot that nobody frees.
    #[cfg(uproar_loom)]
    _tracked: loom::alloc::Track<()>,
}

/// What a list of dropped `ReplyTo`s knows of one, whatever its type.
struct Deferred {
    next: Cell<*const Deferred>,
    slot: Cell<*const ()>,
    fail: unsafe fn(*const (), AskError),
}

thread_local! {
    static DROPPED: Cell<*const Deferred> = const { Cell::new(ptr::null()) };
}

/// The asker's half.
pub(crate) struct Awaited<R> {
    slot: NonNull<Slot<R>>,
    owns: PhantomData<Slot<R>>,
}

// SAFETY: [A1][A2] the halves share the slot by the protocol above, and it is an
// `R` that changes threads.
unsafe impl<R: Send> Send for Awaited<R> {}
// SAFETY: nothing is reached through `&Awaited`.
unsafe impl<R: Send> Sync for Awaited<R> {}

/// The right to answer one request, once.
///
/// It may be kept, sent on, or used on any thread. Dropped without an answer it
/// fails the asker at once: with [`AskError::NoReply`] while its holder lives on,
/// with [`AskError::Gone`] and the reason when it goes with an actor that ends or
/// with that actor's mailbox.
///
/// Source: R35.
pub struct ReplyTo<R> {
    slot: NonNull<Slot<R>>,
    owns: PhantomData<Slot<R>>,
}

// SAFETY: as for `Awaited`.
unsafe impl<R: Send> Send for ReplyTo<R> {}
// SAFETY: `is_wanted` is an atomic load.
unsafe impl<R: Send> Sync for ReplyTo<R> {}

/// A fresh slot's two halves.
#[inline]
pub(crate) fn slot<R: Send + 'static>() -> (ReplyTo<R>, Awaited<R>) {
    let slot = NonNull::from(Box::leak(Box::new(Slot::<R> {
        state: AtomicU32::new(EMPTY),
        waker: UnsafeCell::new(None),
        outcome: UnsafeCell::new(None),
        deferred: Deferred {
            next: Cell::new(ptr::null()),
            slot: Cell::new(ptr::null()),
            fail: |slot, error| {
                // SAFETY: the list holds the replier's half of this slot.
                unsafe { complete::<R>(NonNull::new_unchecked(slot.cast_mut()).cast(), Err(error)) }
            },
        },
        #[cfg(uproar_loom)]
        _tracked: loom::alloc::Track::new(()),
    })));
    (
        ReplyTo {
            slot,
            owns: PhantomData,
        },
        Awaited {
            slot,
            owns: PhantomData,
        },
    )
}

/// Ends the replier's half.
///
/// # Safety
/// The caller owns that half and gives it up.
unsafe fn complete<R>(slot: NonNull<Slot<R>>, outcome: Result<R, AskError>) {
    // SAFETY: [A1] the half keeps the slot alive.
    let s = unsafe { slot.as_ref() };
    // SAFETY: [A2] the outcome is the replier's.
    s.outcome.with_mut(|o| unsafe { *o = Some(outcome) });
    let mut state = s.state.load(Ordering::Acquire);
    loop {
        let (to, waits) = match state {
            EMPTY => (DONE, false),
            WAITING => (TAKING, true),
            _ => {
                debug_assert_eq!(state, GONE);
                // SAFETY: [A1] the asker is finished with it.
                drop(unsafe { Box::from_raw(slot.as_ptr()) });
                return;
            }
        };
        // ORDERING: release publishes the outcome; acquire takes over the waker.
        match s
            .state
            .compare_exchange(state, to, Ordering::AcqRel, Ordering::Acquire)
        {
            Ok(_) if !waits => return,
            Ok(_) => break,
            Err(now) => state = now,
        }
    }
    // SAFETY: [A2] in `TAKING` the waker is the replier's.
    let waker = s.waker.with_mut(|w| unsafe { (*w).take() });
    // After this the slot may be gone.
    if s.state.swap(DONE, Ordering::AcqRel) == GONE_TAKING {
        // SAFETY: [A1] the asker is finished with it.
        drop(unsafe { Box::from_raw(slot.as_ptr()) });
    }
    if let Some(waker) = waker {
        waker.wake();
    }
}

impl<R: Send + 'static> ReplyTo<R> {
    /// Sends the reply. Nobody need be waiting for it any more.
    #[inline]
    pub fn send(self, reply: R) {
        let this = ManuallyDrop::new(self);
        // SAFETY: `self` owns the half and is given up.
        unsafe { complete(this.slot, Ok(reply)) }
    }

    /// Whether the asker still waits: it has not timed out, been dropped or died.
    pub fn is_wanted(&self) -> bool {
        // SAFETY: [A1] the half keeps the slot alive.
        let state = unsafe { self.slot.as_ref() }.state.load(Ordering::Acquire);
        matches!(state, EMPTY | WAITING)
    }
}

impl<R> Drop for ReplyTo<R> {
    fn drop(&mut self) {
        let error = match context::ending() {
            Some(reason) => AskError::Gone(reason),
            None if context::try_current().is_some() => {
                // SAFETY: [A1] the half keeps the slot alive, and goes to the list.
                let slot = unsafe { self.slot.as_ref() };
                slot.deferred.slot.set(self.slot.as_ptr().cast());
                DROPPED.with(|first| slot.deferred.next.set(first.replace(&slot.deferred)));
                return;
            }
            None => AskError::NoReply,
        };
        // SAFETY: `self` owns the half and is given up.
        unsafe { complete(self.slot, Err(error)) }
    }
}

impl<R> fmt::Debug for ReplyTo<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReplyTo<{}>", std::any::type_name::<R>())
    }
}

/// Answers for the `ReplyTo`s that the slice dropped: the actor goes on, or it has
/// ended with a reason. [A3]
#[inline]
pub(crate) fn settle(reason: Option<&ExitReason>) {
    let first = DROPPED.with(|first| first.replace(ptr::null()));
    if !first.is_null() {
        settle_list(first, reason);
    }
}

#[cold]
fn settle_list(mut at: *const Deferred, reason: Option<&ExitReason>) {
    while !at.is_null() {
        // SAFETY: the list owns the halves of the slots in it, one each.
        unsafe {
            let Deferred { next, slot, fail } = &*at;
            let (next, slot, fail) = (next.get(), slot.get(), *fail);
            let error = match reason {
                Some(reason) => AskError::Gone(reason.clone()),
                None => AskError::NoReply,
            };
            fail(slot, error);
            at = next;
        }
    }
}

impl<R> Awaited<R> {
    /// The outcome, or a promise to wake `waker` when there is one.
    #[inline]
    pub(crate) fn poll(&mut self, waker: &Waker) -> Poll<Result<R, AskError>> {
        // SAFETY: [A1] the half keeps the slot alive.
        let s = unsafe { self.slot.as_ref() };
        let mut state = s.state.load(Ordering::Acquire);
        loop {
            match state {
                DONE => {
                    // SAFETY: [A2] after `DONE` the outcome is the asker's.
                    let outcome = s.outcome.with_mut(|o| unsafe { (*o).take() });
                    return Poll::Ready(outcome.unwrap_or(Err(AskError::NoReply)));
                }
                TAKING => {
                    // It is about to wake the waker it has; that may be an old one.
                    waker.wake_by_ref();
                    return Poll::Pending;
                }
                WAITING => {
                    // Take the waker back, to see whether it is still the right one.
                    match s.state.compare_exchange(
                        WAITING,
                        EMPTY,
                        Ordering::AcqRel,
                        Ordering::Acquire,
                    ) {
                        Ok(_) => state = EMPTY,
                        Err(now) => state = now,
                    }
                }
                _ => {
                    // SAFETY: [A2] in `EMPTY` the waker is the asker's.
                    s.waker.with_mut(|w| match unsafe { &mut *w } {
                        Some(old) if old.will_wake(waker) => {}
                        old => *old = Some(waker.clone()),
                    });
                    match s.state.compare_exchange(
                        EMPTY,
                        WAITING,
                        Ordering::AcqRel,
                        Ordering::Acquire,
                    ) {
                        Ok(_) => return Poll::Pending,
                        Err(now) => state = now,
                    }
                }
            }
        }
    }
}

impl<R> Drop for Awaited<R> {
    fn drop(&mut self) {
        // SAFETY: [A1] the half keeps the slot alive.
        let s = unsafe { self.slot.as_ref() };
        let mut state = s.state.load(Ordering::Acquire);
        loop {
            let to = match state {
                DONE => {
                    // SAFETY: [A1] the replier is finished with it.
                    drop(unsafe { Box::from_raw(self.slot.as_ptr()) });
                    return;
                }
                TAKING => GONE_TAKING,
                // The waker goes while it is still ours.
                WAITING => EMPTY,
                _ => {
                    // SAFETY: [A2] in `EMPTY` the waker is the asker's.
                    drop(s.waker.with_mut(|w| unsafe { (*w).take() }));
                    GONE
                }
            };
            match s
                .state
                .compare_exchange(state, to, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) if to == EMPTY => state = EMPTY,
                Ok(_) => return,
                Err(now) => state = now,
            }
        }
    }
}

#[cfg(all(test, uproar_loom))]
#[path = "reply/models.rs"]
mod loom_models;
