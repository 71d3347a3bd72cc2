//! The slot through which one reply travels.
//!
//! ```text
//!            asker waits            reply or failure
//!   EMPTY ───────────────▶ WAITING ──────────────────▶ DONE
//!     ╲ ╲    with its waker    │                        ▲
//!      ╲ ╲─────── reply ───────┼────────────────────────┘
//!       ╲── asker gives up ────┴──▶ GONE
//! ```
//!
//! * `[A1]` The slot has two holders, asker and replier; the one that finds the other
//!   finished frees it.
//! * `[A2]` `outcome` belongs to the replier until `DONE`, then to the asker.
//! * `[A4]` The waker in the slot belongs to whoever takes the state out of `WAITING`.
//!   Each wait has a number of its own, so a replier that has read the waker's words
//!   and then leaves that very `WAITING` has read them whole.
//! * `[A3]` A `ReplyTo` that is dropped answers too: with `NoReply`, or with `Gone`
//!   when its holder ends. Within an actor's slice that answer waits for the end of
//!   the slice, when it is known which of the two it is.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr::{self, NonNull};
use std::task::{Poll, RawWakerVTable, Waker};

use super::ask::AskError;
use crate::process::ExitReason;
use crate::scheduler::context;
use crate::sync::{AtomicPtr, AtomicU32, Ordering, UnsafeCell};

const EMPTY: u32 = 0;
const WAITING: u32 = 1;
const DONE: u32 = 2;
/// The asker is gone.
const GONE: u32 = 3;
/// The part of the word that is one of these; the rest numbers the waits.
const STATE: u32 = 3;
const NEXT_WAIT: u32 = 4;

struct Slot<R> {
    state: AtomicU32,
    waker: WakerWords,
    outcome: UnsafeCell<Option<Result<R, AskError>>>,
    /// The next dropped `ReplyTo` of this slice. [A3]
    deferred: Deferred,
    /// Lets a model see a slot that nobody frees.
    #[cfg(uproar_loom)]
    _tracked: loom::alloc::Track<()>,
}

/// A waker as two words that may be read while they are written.
struct WakerWords {
    data: AtomicPtr<()>,
    vtable: AtomicPtr<RawWakerVTable>,
}

impl WakerWords {
    fn none() -> Self {
        WakerWords {
            data: AtomicPtr::new(ptr::null_mut()),
            vtable: AtomicPtr::new(ptr::null_mut()),
        }
    }

    fn set(&self, waker: Waker) {
        let waker = ManuallyDrop::new(waker);
        self.data.store(waker.data().cast_mut(), Ordering::Relaxed);
        self.vtable
            .store(ptr::from_ref(waker.vtable()).cast_mut(), Ordering::Relaxed);
    }

    fn read(&self) -> (*const (), *const RawWakerVTable) {
        (
            self.data.load(Ordering::Relaxed),
            self.vtable.load(Ordering::Relaxed),
        )
    }
}

/// # Safety
/// The words were read whole, and their waker is the caller's. [A4]
unsafe fn waker_from((data, vtable): (*const (), *const RawWakerVTable)) -> Waker {
    // SAFETY: they are the parts of a waker that nobody else will drop.
    unsafe { Waker::new(data, &*vtable) }
}

/// What a list of dropped `ReplyTo`s knows of one, whatever its type.
struct Deferred {
    next: Cell<*const Deferred>,
    slot: Cell<*const ()>,
    fail: unsafe fn(*const (), AskError),
}

/// Makes `first` the first of the `ReplyTo`s that this slice has dropped; returns the
/// one that was.
#[inline]
fn replace_dropped(first: *const Deferred) -> *const Deferred {
    context::replace_dropped(first.cast()).cast()
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
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// struct Ready(ReplyTo<()>);
/// struct Open;
///
/// /// Keeps everyone waiting until it opens.
/// #[actor]
/// async fn gate() {
///     let mut waiting: Vec<ReplyTo<()>> = Vec::new();
///     loop {
///         #[receive]
///         match receive().await {
///             Ready(reply_to) => waiting.push(reply_to),
///             Open => break,
///         }
///     }
///     for reply_to in waiting {
///         if reply_to.is_wanted() {
///             reply_to.send(());
///         }
///     }
/// }
///
/// #[uproar::main]
/// async fn main() {
///     let gate = spawn(gate());
///     let (first, second) = (gate.ask(Ready), gate.ask(Ready));
///     gate.send(Open);
///     assert_eq!((first.await, second.await), (Ok(()), Ok(())));
/// }
/// ```
pub struct ReplyTo<R> {
    slot: NonNull<Slot<R>>,
    owns: PhantomData<Slot<R>>,
}

// SAFETY: as for `Awaited`.
unsafe impl<R: Send> Send for ReplyTo<R> {}
// SAFETY: `is_wanted` is an atomic load.
unsafe impl<R: Send> Sync for ReplyTo<R> {}

/// The way back to the caller of a handler, if there is one.
///
/// It is `Send` whatever is known of `R`: that replies are `Send` is for `Handles` to
/// say, and once only.
pub struct Caller<R>(pub(super) Option<ReplyTo<R>>);

// SAFETY: a `ReplyTo` has a slot, and slots are made for an `R` that is `Send` only.
unsafe impl<R> Send for Caller<R> {}

/// A fresh slot's two halves.
#[inline]
pub(crate) fn slot<R: Send + 'static>() -> (ReplyTo<R>, Awaited<R>) {
    // Made where it stays: on its way there it would be written in small pieces and read in
    // large ones, which stalls the core.
    let room = Box::<Slot<R>>::new_uninit();
    let slot = NonNull::from(Box::leak(Box::write(
        room,
        Slot {
            state: AtomicU32::new(EMPTY),
            waker: WakerWords::none(),
            outcome: UnsafeCell::new(None),
            deferred: Deferred {
                next: Cell::new(ptr::null()),
                slot: Cell::new(ptr::null()),
                fail: |slot, error| {
                    // SAFETY: the list holds the replier's half of this slot.
                    unsafe {
                        complete::<R>(NonNull::new_unchecked(slot.cast_mut()).cast(), Err(error))
                    }
                },
            },
            #[cfg(uproar_loom)]
            _tracked: loom::alloc::Track::new(()),
        },
    )));
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
#[inline(always)]
unsafe fn complete<R>(slot: NonNull<Slot<R>>, outcome: Result<R, AskError>) {
    // SAFETY: [A1] the half keeps the slot alive, and [A2] the outcome is the replier's: there
    // is none yet.
    unsafe {
        slot.as_ref().outcome.with_mut(|o| o.write(Some(outcome)));
        publish(slot);
    }
}

/// Says that the outcome is there.
///
/// # Safety
/// As for `complete`.
unsafe fn publish<R>(slot: NonNull<Slot<R>>) {
    // SAFETY: [A1] as above.
    let s = unsafe { slot.as_ref() };
    let mut state = s.state.load(Ordering::Acquire);
    loop {
        let waker = match state & STATE {
            EMPTY => None,
            WAITING => Some(s.waker.read()),
            _ => {
                debug_assert_eq!(state & STATE, GONE);
                // SAFETY: [A1] the asker is finished with it.
                drop(unsafe { Box::from_raw(slot.as_ptr()) });
                return;
            }
        };
        // ORDERING: release publishes the outcome; acquire, here and in the load,
        // pairs with the asker's release of the waker's words.
        match s
            .state
            .compare_exchange(state, DONE, Ordering::AcqRel, Ordering::Acquire)
        {
            Ok(_) => {
                // The slot may be gone from here on.
                if let Some(words) = waker {
                    // SAFETY: [A4] it was this wait that ended here.
                    unsafe { waker_from(words) }.wake();
                }
                return;
            }
            Err(now) => state = now,
        }
    }
}

impl<R: Send + 'static> ReplyTo<R> {
    /// Sends the reply. Nobody need be waiting for it any more.
    #[inline]
    pub fn send(self, reply: R) {
        self.answer(reply);
    }

    /// Whether the asker still waits: it has not timed out, been dropped or died.
    pub fn is_wanted(&self) -> bool {
        // SAFETY: [A1] the half keeps the slot alive.
        let state = unsafe { self.slot.as_ref() }.state.load(Ordering::Acquire);
        matches!(state & STATE, EMPTY | WAITING)
    }
}

impl<R> ReplyTo<R> {
    /// Sends the reply. There is a slot, so `R` is `Send`.
    #[inline]
    pub(super) fn answer(self, reply: R) {
        if context::is_inert() {
            // It fails when the code returns, as if it were still held. (R31)
            return;
        }
        let this = ManuallyDrop::new(self);
        // SAFETY: `self` owns the half and is given up.
        unsafe { complete(this.slot, Ok(reply)) }
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
                slot.deferred.next.set(replace_dropped(&slot.deferred));
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
    let first = replace_dropped(ptr::null());
    if !first.is_null() {
        settle_list(first, reason);
    }
}

/// Drops a message that is not the running actor's, but had to make room in another's
/// mailbox: a `ReplyTo` in it is answered at once, whatever the running actor comes to.
#[cold]
pub(crate) fn drop_for_another(message: impl Sized) {
    struct Own(*const Deferred);
    impl Drop for Own {
        fn drop(&mut self) {
            settle(None);
            replace_dropped(self.0);
        }
    }

    let _own = Own(replace_dropped(ptr::null()));
    drop(message);
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
        if state & STATE == WAITING {
            let words = s.waker.read();
            if waker.data() == words.0 && ptr::eq(waker.vtable(), words.1) {
                return Poll::Pending;
            }
            // Another waker than before: leave this wait, and begin a new one.
            match s.state.compare_exchange(
                state,
                (state & !STATE) | EMPTY,
                Ordering::AcqRel,
                Ordering::Acquire,
            ) {
                Ok(_) => {
                    state = (state & !STATE) | EMPTY;
                    // SAFETY: [A4] the asker has left `WAITING`, and writes the words.
                    drop(unsafe { waker_from(words) });
                }
                Err(now) => state = now,
            }
        }
        if state & STATE == EMPTY {
            s.waker.set(waker.clone());
            let waiting = (state & !STATE).wrapping_add(NEXT_WAIT) | WAITING;
            // ORDERING: release publishes the waker's words.
            if s.state
                .compare_exchange(state, waiting, Ordering::AcqRel, Ordering::Acquire)
                .is_ok()
            {
                return Poll::Pending;
            }
            // SAFETY: [A4] never given to the replier.
            drop(unsafe { waker_from(s.waker.read()) });
        }
        // SAFETY: [A2] after `DONE` the outcome is the asker's.
        let outcome = s.outcome.with_mut(|o| unsafe { (*o).take() });
        Poll::Ready(outcome.unwrap_or(Err(AskError::NoReply)))
    }
}

impl<R> Drop for Awaited<R> {
    fn drop(&mut self) {
        // SAFETY: [A1] the half keeps the slot alive.
        let s = unsafe { self.slot.as_ref() };
        let state = s.state.load(Ordering::Acquire);
        if state & STATE != DONE {
            let words = s.waker.read();
            if s.state
                .compare_exchange(state, GONE, Ordering::AcqRel, Ordering::Acquire)
                .is_ok()
            {
                if state & STATE == WAITING {
                    // SAFETY: [A4] the asker has left `WAITING`, and wrote the words.
                    drop(unsafe { waker_from(words) });
                }
                return;
            }
        }
        // SAFETY: [A1] the replier is finished with it.
        drop(unsafe { Box::from_raw(self.slot.as_ptr()) });
    }
}

#[cfg(all(test, uproar_loom))]
#[path = "reply/models.rs"]
mod loom_models;
