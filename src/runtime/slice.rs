//! The boundary between the runtime and an actor's code.
//!
//! A slice is one poll of the actor's future: signals first, then the code, with
//! panics caught, then the question whether the actor goes on. The end of an actor
//! has an order: its reason is decided; its future is dropped; its mailbox is closed and
//! emptied; its timers go; it leaves the table, its name is free, and it is counted; those
//! that are linked to it or watch it are told; if it is the main actor, the runtime shuts down.

use std::future::Future;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{Ordering, fence};
use std::task::{Context, Poll};

use super::Shared;
use crate::actor::Outcome;
use crate::actor::reply;
use crate::mailbox::Store;
use crate::observe::events;
use crate::process::{Cut, ExitReason, Panicked, Placement, Process, State, contain};
use crate::scheduler::context;

/// An actor's future within its task.
pub(super) struct Shell<F> {
    /// The metadata of the task that this is in. [P1]
    process: *const Process,
    /// Alive until the process is `Exiting`.
    future: ManuallyDrop<F>,
}

// SAFETY: the pointer is to the task's own metadata, which is `Sync`. Whoever makes
// a shell of a future that is not `Send` keeps its task on one thread.
unsafe impl<F: Send> Send for Shell<F> {}

impl<F> Shell<F> {
    pub(super) fn new(process: &Process, future: F) -> Self {
        Shell {
            process,
            future: ManuallyDrop::new(future),
        }
    }
}

impl<F> Future for Shell<F>
where
    F: Future,
    F::Output: Outcome,
{
    type Output = ();

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        // SAFETY: the future is not moved: it is polled and dropped in place.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: [P1] the task that is polled holds its metadata.
        let process = unsafe { &*this.process };
        let _in = context::InActor::enter(process);
        let reason = if process.begin_slice() {
            None
        } else {
            // SAFETY: pinned with `self`; not dropped, or the task would be complete.
            let future = unsafe { Pin::new_unchecked(&mut *this.future) };
            let polled = catch_unwind(AssertUnwindSafe(|| {
                future.poll(cx).map(Outcome::into_reason)
            }));
            match polled {
                Ok(Poll::Pending) => {
                    process.count_slice(context::spent());
                    if !process.end_slice() {
                        reply::settle(None);
                        return Poll::Pending;
                    }
                    None
                }
                Ok(Poll::Ready(reason)) => Some(reason),
                Err(payload) => Some(ExitReason::Panic(Panicked::from_payload(payload))),
            }
        };
        let future = &mut this.future;
        // SAFETY: `end` calls it once, and the process is `Exiting` from then on.
        end(process, reason, &mut || unsafe {
            ManuallyDrop::drop(future)
        });
        Poll::Ready(())
    }
}

impl<F> Drop for Shell<F> {
    fn drop(&mut self) {
        // SAFETY: [P1] the task that is destroyed holds its metadata.
        let process = unsafe { &*self.process };
        if matches!(process.state(), State::Exiting | State::Exited) {
            return;
        }
        // Dropped before its end: the runtime is going, or never took it.
        let _in = context::InActor::enter(process);
        let future = &mut self.future;
        // SAFETY: as in `poll`.
        end(process, Some(ExitReason::Killed), &mut || unsafe {
            ManuallyDrop::drop(future)
        });
    }
}

/// Ends an actor, in order. `own` is the reason that it has found itself; that of a
/// signal that has come by now is before it. For the owner.
#[cold]
fn end(process: &Process, own: Option<ExitReason>, drop_future: &mut dyn FnMut()) {
    process.drain();
    // SAFETY: [M4][P2] the caller is the owner.
    let signalled = unsafe { process.mailbox.store(|store| store.exit().cloned()) };
    let killed = ExitReason::Killed;
    // Chosen where they are: the way from hand to hand is a good part of a short life.
    let reason = match (&signalled, &own) {
        _ if process.is_given_up() => &killed,
        (Some(reason), _) | (None, Some(reason)) => reason,
        (None, None) => &killed,
    };
    process.set_state(State::Exiting);
    let cut = {
        let _ending = context::Ending::enter(reason);
        reply::settle(Some(reason));
        contain(drop_future);
        // SAFETY: [M4] as above.
        let rest = unsafe { process.mailbox.close(true) };
        drop(rest);
        let mut cut = process.end_ties();
        if let Some(cut) = &mut cut {
            cut.tell_timers();
        }
        reply::settle(Some(reason));
        cut
    };
    process.set_state(State::Exited);
    // SAFETY: [P3] the task is unfinished until this slice returns.
    let shared = unsafe { Shared::of(process) };
    let one_less = shared.ended(process, cut, reason);
    // A reason may have a destructor of the user's, which is to run here and not wherever
    // the last reference to the process is dropped.
    // SAFETY: [M4] as above.
    let decided = unsafe { process.mailbox.store(Store::take_exit) };
    drop_reason(own);
    drop_reason(signalled);
    drop_reason(decided);
    if one_less {
        // Last, for it may end the runtime.
        shared.after_exit();
    }
}

/// Lets go of a reason that may have a destructor of the user's.
#[inline]
fn drop_reason(reason: Option<ExitReason>) {
    if let Some(reason @ (ExitReason::Panic(_) | ExitReason::Error(_))) = reason {
        contain(|| drop(reason));
    }
}

impl Shared {
    /// Takes an ended process out of the books; without a cut it has been given up. Whether
    /// that was one actor less.
    fn ended(&self, process: &Process, cut: Option<Cut>, reason: &ExitReason) -> bool {
        let pid = process.pid();
        let panicked = matches!(reason, ExitReason::Panic(_));
        // [Y1] An actor that was never accepted is not in the table.
        let Some(cut) = cut else {
            if process.is_given_up() {
                events::came_back(process);
            }
            return false;
        };
        let Some(entry) = self.table.remove(pid) else {
            return false;
        };
        self.release(process, &cut);
        match reason {
            ExitReason::Panic(panic) => events::panicked(process, panic),
            ExitReason::Error(_) => events::failed(process, reason),
            _ => events::ended(process, reason),
        }
        if process.placement == Placement::Outside {
            return false;
        }
        self.count_exit(panicked);
        self.forget_asks(pid);
        self.part(process, cut, reason);
        if process.is_main {
            self.main_ended(reason.clone());
        }
        // The task itself still holds the process.
        drop(entry);
        true
    }

    /// Counts an actor that has left the table.
    pub(super) fn count_exit(&self, panicked: bool) {
        // ORDERING: see `live`.
        fence(Ordering::Release);
        match context::worker_of(&self.scheduler) {
            Some(worker) => {
                worker.counts.exited.add(1);
                if panicked {
                    worker.counts.panicked.add(1);
                }
            }
            None => {
                self.exited_outside.add_shared(1);
                self.panicked_outside.add_shared(u64::from(panicked));
            }
        }
    }
}
