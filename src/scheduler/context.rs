//! What runs on this thread: the worker, the actor, its budget.
//!
//! Plain cells in a thread-local without a destructor: reading them is a load.

use std::cell::Cell;
use std::ptr;

use super::Scheduler;
use super::worker::Worker;
use crate::process::{ExitReason, Pid, Process, ProcessRef, State};

pub(crate) struct ThreadContext {
    /// The runtime's scheduler, while this thread is one of its workers or lanes, or
    /// drives it.
    scheduler: Cell<*const Scheduler>,
    /// Null on a lane.
    worker: Cell<*const Worker>,
    /// The actor whose code runs.
    process: Cell<*const Process>,
    /// Reductions left in this slice; sends may overdraw it.
    budget: Cell<i64>,
    /// What the slice was given.
    granted: Cell<i64>,
    /// The actor has sent to itself in this slice.
    sent_to_self: Cell<bool>,
    /// What the actor has begun to wait for in this slice, besides messages.
    waits_for: Cell<State>,
    /// Set while an actor's end destroys its future and its messages.
    exit: Cell<*const ExitReason>,
    /// Messages beyond which the mailbox of an actor is too long.
    mailbox_alarm: Cell<u32>,
    /// What `replace_dropped` keeps.
    dropped: Cell<*const ()>,
}

thread_local! {
    static CONTEXT: ThreadContext = const {
        ThreadContext {
            scheduler: Cell::new(ptr::null()),
            worker: Cell::new(ptr::null()),
            process: Cell::new(ptr::null()),
            budget: Cell::new(0),
            granted: Cell::new(0),
            sent_to_self: Cell::new(false),
            waits_for: Cell::new(State::WaitingOther),
            exit: Cell::new(ptr::null()),
            mailbox_alarm: Cell::new(u32::MAX),
            dropped: Cell::new(ptr::null()),
        }
    };
}

/// Makes this thread a worker, or a lane, until dropped.
pub(crate) struct OnWorker {
    before: (
        *const Scheduler,
        *const Worker,
        *const Process,
        i64,
        *const ExitReason,
        *const (),
        u32,
    ),
}

impl OnWorker {
    /// Both are alive as long as the guard is: the caller holds the runtime.
    pub(crate) fn enter(scheduler: &Scheduler, worker: &Worker) -> OnWorker {
        OnWorker::replace(scheduler, worker)
    }

    /// It is alive as long as the guard is: the caller holds the runtime.
    pub(crate) fn enter_lane(scheduler: &Scheduler) -> OnWorker {
        OnWorker::replace(scheduler, ptr::null())
    }

    fn replace(scheduler: &Scheduler, worker: *const Worker) -> OnWorker {
        CONTEXT.with(|c| OnWorker {
            before: (
                c.scheduler.replace(scheduler),
                c.worker.replace(worker),
                c.process.replace(ptr::null()),
                c.budget.replace(0),
                c.exit.replace(ptr::null()),
                c.dropped.replace(ptr::null()),
                c.mailbox_alarm.replace(scheduler.mailbox_alarm),
            ),
        })
    }
}

impl Drop for OnWorker {
    fn drop(&mut self) {
        CONTEXT.with(|c| {
            c.scheduler.set(self.before.0);
            c.worker.set(self.before.1);
            c.process.set(self.before.2);
            c.budget.set(self.before.3);
            c.exit.set(self.before.4);
            c.dropped.set(self.before.5);
            c.mailbox_alarm.set(self.before.6);
        });
    }
}

/// Makes an actor the current one until dropped.
pub(crate) struct InActor {
    before: *const Process,
}

impl InActor {
    #[inline]
    pub(crate) fn enter(process: &Process) -> InActor {
        CONTEXT.with(|c| InActor {
            before: c.process.replace(process),
        })
    }
}

impl Drop for InActor {
    #[inline]
    fn drop(&mut self) {
        CONTEXT.with(|c| c.process.set(self.before));
    }
}

/// Says until dropped that what is destroyed now ends with this reason.
pub(crate) struct Ending<'a> {
    before: *const ExitReason,
    _reason: &'a ExitReason,
}

impl<'a> Ending<'a> {
    pub(crate) fn enter(reason: &'a ExitReason) -> Ending<'a> {
        CONTEXT.with(|c| Ending {
            before: c.exit.replace(reason),
            _reason: reason,
        })
    }
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        CONTEXT.with(|c| c.exit.set(self.before));
    }
}

/// The reason of the end in progress.
pub(crate) fn ending() -> Option<ExitReason> {
    CONTEXT.with(|c| {
        // SAFETY: an `Ending` that borrows it is on this thread's stack.
        unsafe { c.exit.get().as_ref() }.cloned()
    })
}

/// Keeps one pointer for the slice that runs, and returns the one that was kept: the
/// list of what an answer is owed for. A runtime within an actor has one of its own.
#[inline]
pub(crate) fn replace_dropped(first: *const ()) -> *const () {
    CONTEXT.with(|c| c.dropped.replace(first))
}

/// The actor whose code runs on this thread.
///
/// The reference is good while that code runs; callers do not keep it.
#[inline]
pub(crate) fn try_current<'a>() -> Option<&'a Process> {
    // SAFETY: an `InActor` for it is on this thread's stack, and whoever made
    // that keeps the process alive.
    CONTEXT.with(|c| unsafe { c.process.get().as_ref() })
}

/// The actor whose code runs on this thread.
///
/// # Panics
/// Outside an actor, naming the call to use `instead`.
#[inline]
pub(crate) fn current<'a>(call: &str, instead: &str) -> &'a Process {
    match try_current() {
        Some(process) => process,
        None => outside(call, instead),
    }
}

/// A counted reference to the current actor.
pub(crate) fn current_ref(call: &str, instead: &str) -> ProcessRef {
    ProcessRef::new(current(call, instead))
}

#[cold]
fn outside(call: &str, instead: &str) -> ! {
    panic!("uproar: `{call}` was called outside an actor; use {instead} there")
}

/// The worker that this thread is, if it is one of `scheduler`'s.
#[inline]
pub(crate) fn worker_of<'a>(scheduler: *const Scheduler) -> Option<&'a Worker> {
    CONTEXT.with(|c| {
        if ptr::eq(c.scheduler.get(), scheduler) {
            // SAFETY: set together with the scheduler by an `OnWorker` on this
            // thread's stack, whose maker keeps the runtime alive.
            unsafe { c.worker.get().as_ref() }
        } else {
            None
        }
    })
}

/// The worker that this thread is, of whatever runtime.
#[inline]
pub(crate) fn worker<'a>() -> Option<&'a Worker> {
    // SAFETY: as in `worker_of`.
    CONTEXT.with(|c| unsafe { c.worker.get().as_ref() })
}

/// The scheduler of this thread, and the worker if it is one.
#[inline]
pub(crate) fn here<'a>() -> Option<(&'a Scheduler, Option<&'a Worker>)> {
    // SAFETY: as in `worker_of`.
    CONTEXT.with(|c| unsafe { Some((c.scheduler.get().as_ref()?, c.worker.get().as_ref())) })
}

/// Whether this thread is a worker or a lane of `scheduler`'s.
#[inline]
pub(crate) fn is_at(scheduler: *const Scheduler) -> bool {
    CONTEXT.with(|c| ptr::eq(c.scheduler.get(), scheduler))
}

/// Whether a manual driver runs this code, so that no choice may hang on the time.
pub(crate) fn is_manual() -> bool {
    here().is_some_and(|(scheduler, _)| scheduler.is_manual())
}

/// Gives the slice that begins its reductions.
#[inline]
pub(crate) fn set_budget(reductions: i64) {
    CONTEXT.with(|c| {
        c.budget.set(reductions);
        c.granted.set(reductions);
        c.sent_to_self.set(false);
        c.waits_for.set(State::WaitingOther);
    });
}

/// Says what the actor waits for from now on, besides messages.
pub(crate) fn set_waits_for(state: State) {
    CONTEXT.with(|c| c.waits_for.set(state));
}

/// What the actor waits for if it is no message.
pub(crate) fn waits_for() -> State {
    CONTEXT.with(|c| c.waits_for.get())
}

/// Messages beyond which the mailbox of an actor of this runtime is too long.
#[inline]
pub(crate) fn mailbox_alarm() -> u32 {
    CONTEXT.with(|c| c.mailbox_alarm.get())
}

/// Reductions that this slice has spent.
#[inline]
pub(crate) fn spent() -> i64 {
    CONTEXT.with(|c| c.granted.get().wrapping_sub(c.budget.get()))
}

/// Reductions left.
#[inline]
pub(crate) fn budget() -> i64 {
    CONTEXT.with(|c| c.budget.get())
}

/// Takes reductions from a call that can wait: `false` when none are left, and
/// the caller lets others run first.
#[inline]
pub(crate) fn spend(reductions: i64) -> bool {
    CONTEXT.with(|c| {
        let left = c.budget.get();
        if left <= 0 && !c.scheduler.get().is_null() {
            return false;
        }
        c.budget.set(left.wrapping_sub(reductions));
        true
    })
}

/// A worker that goes on beyond its budget gives away what it keeps for itself
/// once in so many reductions.
const OVERDRAFT: i64 = 64;

/// Whether the actor has sent to itself in this slice.
#[inline]
pub(crate) fn has_sent_to_self() -> bool {
    CONTEXT.with(|c| c.sent_to_self.get())
}

/// Whether the calling code belongs to no actor of `to`'s runtime.
#[cold]
pub(crate) fn is_outsider(to: Pid) -> bool {
    try_current().is_none_or(|caller| caller.pid().runtime() != to.runtime())
}

/// Takes a reduction from a send to `to`, which can't wait. Whether it may be sent: not
/// by an actor that has been given up in the middle of its code. (R31)
#[inline]
#[must_use]
pub(crate) fn sending_to(to: &Process) -> bool {
    overdraw();
    CONTEXT.with(|c| {
        let caller = c.process.get();
        if ptr::eq(caller, to) {
            c.sent_to_self.set(true);
        }
        // SAFETY: as in `try_current`.
        !unsafe { caller.as_ref() }.is_some_and(Process::is_given_up) || !c.exit.get().is_null()
    })
}

/// Whether the calling code is an actor's that has been given up, and not one of the
/// destructors of its end. (R27, R31)
pub(crate) fn is_inert() -> bool {
    try_current().is_some_and(Process::is_given_up) && CONTEXT.with(|c| c.exit.get().is_null())
}

/// Takes a reduction from a call that can't wait.
#[inline]
pub(crate) fn overdraw() {
    CONTEXT.with(|c| {
        let left = c.budget.get().wrapping_sub(1);
        c.budget.set(left);
        if left <= 0 && left % OVERDRAFT == 0 {
            overdrawn(c);
        }
    });
}

#[cold]
fn overdrawn(c: &ThreadContext) {
    // SAFETY: as in `worker_of`.
    unsafe {
        if let (Some(scheduler), Some(worker)) =
            (c.scheduler.get().as_ref(), c.worker.get().as_ref())
        {
            scheduler.publish_next(worker);
        }
    }
}

/// Counts a message that a receive took.
#[inline]
pub(crate) fn count_message() {
    if let Some(worker) = worker() {
        worker.counts.messages.add(1);
    }
}
