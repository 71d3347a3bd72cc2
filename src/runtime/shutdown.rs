//! The end of a runtime.
//!
//! 1. *Stopping*: outsiders and actors spawn nothing any more; everyone gets the exit
//!    signal `Shutdown`. Who obeys ends at its next await.
//! 2. *Killing*, when the grace is over: who is left is killed.
//! 3. *Ended*, when nobody is left, or only actors that do not come back from their
//!    own code. Those can't be unwound: they count as dead, are named in the report,
//!    and their threads are left to themselves; the future is dropped when the code
//!    returns.
//!
//! Steps 1 and 3 happen where they are noticed, step 2 on the reactor's thread, so
//! it makes no difference who asked for the end, or from where.
//!
//! What step 3 cuts off, deadlines and what stuck actors leave, may have destructors of the
//! user's; so it is not let go of where it was cut off, if that is the reactor's thread
//! [R39]. Whoever waits for the end does it, or a thread that is started for it when the
//! reactor's ends; and who waits for the end waits for that thread as well.

use std::fmt;
use std::sync::atomic::{Ordering, fence};
use std::sync::{Arc, MutexGuard, PoisonError};
use std::task::Waker;
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use super::condemned::Leavings;
use super::waiters::Waiters;
use super::{Phase, Shared};
use crate::observe::events;
use crate::process::{ExitReason, Pid, Placement, Process, contain};
use crate::reactor::Due;
use crate::signals::Signal;

/// How long a worker may show no sign of life, after the grace, before what it runs
/// is given up. Longer than a busy machine keeps a thread waiting.
const PATIENCE: Duration = Duration::from_millis(100);

#[derive(Default)]
pub(super) struct End {
    main: Option<ExitReason>,
    deadline: Option<Instant>,
    killed: usize,
    killed_at: Option<Instant>,
    stuck: Vec<StuckActor>,
    leftovers: Leftovers,
    /// Threads that let go of some, or are about to add some.
    busy_with_leftovers: Vec<ThreadId>,
    pub(super) ended: bool,
    /// Who waits for the end.
    pub(super) waiters: Waiters,
}

/// What a shutdown came to. From [`Handle::shutdown`](crate::Handle::shutdown).
///
/// # Examples
///
/// ```
/// use uproar::{Runtime, prelude::*};
///
/// let runtime = Runtime::builder().workers(1).start().unwrap();
/// let (told, busy) = std::sync::mpsc::channel();
/// runtime.spawn(async move {
///     told.send(()).unwrap();
///     std::thread::sleep(Duration::from_secs(60));    // blocks its worker: don't
/// });
/// busy.recv().unwrap();
/// let report = runtime.shutdown(Duration::from_millis(10));
/// assert_eq!((report.ended, report.killed, report.stuck.len()), (true, 1, 1));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ShutdownReport {
    /// Whether the runtime has ended. `false` when the shutdown was asked for on one
    /// of the runtime's own workers, which can't wait for itself: it goes on.
    pub ended: bool,
    /// Actors that were killed because they had not ended within the grace.
    pub killed: usize,
    /// Actors that did not come back from their own code.
    pub stuck: Vec<StuckActor>,
}

/// An actor that does not come back from its own code.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StuckActor {
    /// Its pid.
    pub pid: Pid,
    /// The name of its future's type.
    pub actor: &'static str,
}

impl StuckActor {
    pub(super) fn of(process: &Process) -> StuckActor {
        StuckActor {
            pid: process.pid(),
            actor: process.type_name(),
        }
    }
}

impl fmt::Display for StuckActor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.pid, self.actor)
    }
}

impl Shared {
    /// Step 1. Idempotent; a second call can only shorten the grace.
    pub(super) fn begin_shutdown(&self, grace: Duration) {
        let deadline = self.scheduler.reactor.clock.now().checked_add(grace);
        let first = {
            // The lock is held, so that whoever is second finds the first one's deadline.
            let mut end = self.end();
            let first = self.enter_phase(Phase::Stopping);
            end.deadline = match (end.deadline, deadline) {
                _ if first => deadline,
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            first
        };
        if first {
            events::runtime_shuts_down(self.id, grace);
            let from = self.nobody();
            let shutdown = || Signal::Exit {
                from,
                reason: ExitReason::Shutdown,
                link: None,
            };
            self.sweep(shutdown, false);
            self.scheduler.wake_all();
        }
        self.after_exit();
        self.scheduler.reactor.poke();
    }

    /// Signals every actor.
    fn sweep(&self, signal: impl Fn() -> Signal, doom: bool) {
        for process in self.table.all() {
            process.seclude();
            if process.placement == Placement::Outside {
                // An inbox stays: actors send to it to the last, and its holder may
                // receive that after the end.
                continue;
            }
            if doom {
                process.doom();
            }
            self.signal(&process, signal());
        }
    }

    /// Step 2.
    fn begin_killing(&self) {
        if !self.enter_phase(Phase::Killing) {
            return;
        }
        let killed = usize::try_from(self.live()).unwrap_or(usize::MAX);
        {
            let mut end = self.end();
            end.killed = killed;
            end.killed_at = Some(self.scheduler.reactor.clock.now());
        }
        events::grace_is_over(self.id, killed);
        self.sweep(|| Signal::Kill, true);
        // Those that are in line for a lane may wait for one that never comes back.
        self.scheduler.divert_lanes();
    }

    /// The main actor has ended: so does the runtime.
    pub(super) fn main_ended(&self, reason: ExitReason) {
        let late = {
            let mut end = self.end();
            if end.main.is_none() {
                end.main = Some(reason);
                None
            } else {
                Some(reason)
            }
        };
        // A destructor of the user's, with no lock held.
        contain(|| drop(late));
        self.begin_shutdown(GRACE);
    }

    pub(super) fn main_reason(&self) -> Option<ExitReason> {
        self.end().main.clone()
    }

    /// Looks whether that was the last actor of a runtime that shuts down.
    #[inline]
    pub(super) fn after_exit(&self) {
        if self.phase() == Phase::Running {
            return;
        }
        // Of two workers that end the last two actors at once, at least one sees
        // both counted.
        fence(Ordering::SeqCst);
        // In this order: who has entered an actor has counted it before.
        if self.entering.load(Ordering::SeqCst) == 0 && self.live() == 0 {
            self.finish();
        }
    }

    /// Step 3.
    fn finish(&self) {
        if !self.enter_phase(Phase::Ended) {
            return;
        }
        let condemned = self.stuck_condemned();
        let stuck = {
            let mut end = self.end();
            end.stuck.extend(condemned);
            // An actor that was killed first may have been given up last.
            end.stuck.sort_by_key(|actor| actor.pid);
            end.stuck.dedup();
            end.stuck.clone()
        };
        for actor in stuck {
            events::left_behind(actor.pid, actor.actor);
        }
        self.scheduler.stop();
        let deadlines = self.scheduler.reactor.stop();
        events::runtime_ended(self.id);
        let mut end = self.end();
        end.ended = true;
        end.leftovers.deadlines.extend(deadlines);
        let waiters = end.waiters.take();
        drop(end);
        self.end_changed.notify_all();
        if !self.scheduler.reactor.is_here() {
            self.drop_leftovers();
        }
        waiters.for_each(Waker::wake);
        // Inboxes that are waited on: nothing will come any more.
        for process in self.table.all() {
            if process.placement == Placement::Outside {
                process.waker().wake_by_ref();
            }
        }
    }

    /// What the reactor's thread does for a shutdown. When to look again.
    pub(super) fn watch_shutdown(&self) -> Option<Instant> {
        let now = self.scheduler.reactor.clock.now();
        match self.phase() {
            Phase::Stopping => {
                let deadline = self.end().deadline;
                if deadline.is_some_and(|deadline| deadline <= now) {
                    self.begin_killing();
                    return Some(now + PATIENCE);
                }
                deadline
            }
            Phase::Killing => {
                let killed_at = self.end().killed_at;
                if killed_at.is_some_and(|at| at + PATIENCE <= now)
                    && self.scheduler.is_still_for(PATIENCE)
                {
                    self.give_up_all();
                }
                Some(now + PATIENCE / 4)
            }
            Phase::Running | Phase::Ended => None,
        }
    }

    /// Counts all that are left as dead.
    fn give_up_all(&self) {
        for process in self.table.all() {
            if process.placement != Placement::Outside && self.give_up_and_leave(&process) {
                self.end().stuck.push(StuckActor::of(&process));
            }
        }
        self.finish();
    }

    /// Counts an actor as dead, if it was not yet. What it leaves is for whoever lets go of
    /// the leftovers first: a worker, or the end.
    pub(super) fn give_up_and_leave(&self, process: &Process) -> bool {
        // Another thread may find that nobody is left before this one has put them there.
        let _busy = BusyWithLeftovers::begin(self);
        let Some(leavings) = self.give_up(process) else {
            return false;
        };
        self.end().leftovers.leavings.push(leavings);
        true
    }

    /// Whether some worker runs an actor that has been given up.
    pub(super) fn has_stuck(&self) -> bool {
        !self.end().stuck.is_empty()
    }

    pub(super) fn report(&self) -> ShutdownReport {
        let end = self.end();
        ShutdownReport {
            ended: end.ended,
            killed: end.killed,
            stuck: end.stuck.clone(),
        }
    }

    /// Lets go of what was cut off. Not on the reactor's thread: there are values of
    /// the user's in it [R39].
    pub(super) fn drop_leftovers(&self) {
        let _busy = BusyWithLeftovers::begin(self);
        let leftovers = std::mem::take(&mut self.end().leftovers);
        drop(leftovers);
    }

    /// Lets go of what was cut off, and waits for other threads that do. A destructor
    /// that comes here does not wait for its own thread.
    pub(super) fn settle_leftovers(&self) {
        let own = thread::current().id();
        loop {
            self.drop_leftovers();
            let mut end = self.end();
            while end.leftovers.is_empty() {
                if end.busy_with_leftovers.is_empty() || end.busy_with_leftovers.contains(&own) {
                    return;
                }
                end = self.wait_for_change(end);
            }
        }
    }

    /// The reactor's thread ends: what has not been let go of by those who wait for the end is
    /// for another thread. Nobody may wait.
    pub(super) fn leave_leftovers(self: &Arc<Self>) {
        if self.end().leftovers.is_empty() {
            return;
        }
        let this = Arc::clone(self);
        let named = thread::Builder::new().name(format!("uproar-{}-end", self.id));
        // Without a thread it goes with the last handle.
        let _ = named.spawn(move || this.drop_leftovers());
    }

    fn wait_for_change<'a>(&self, end: MutexGuard<'a, End>) -> MutexGuard<'a, End> {
        self.end_changed
            .wait(end)
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Blocks until the runtime has ended.
    pub(super) fn wait_for_end(&self) {
        let mut end = self.end();
        while !end.ended {
            end = self.wait_for_change(end);
        }
        drop(end);
        self.settle_leftovers();
    }
}

/// What was cut off where it must not be dropped on the spot.
#[derive(Default)]
struct Leftovers {
    /// By the end.
    deadlines: Vec<Due>,
    /// Of actors that do not come back from their own code.
    leavings: Vec<Leavings>,
}

impl Leftovers {
    fn is_empty(&self) -> bool {
        self.deadlines.is_empty() && self.leavings.is_empty()
    }
}

impl Drop for Leftovers {
    fn drop(&mut self) {
        for due in self.deadlines.drain(..) {
            contain(|| due.abandon());
        }
        for leavings in self.leavings.drain(..) {
            contain(|| drop(leavings));
        }
    }
}

/// Until it is dropped, those who wait for the end wait for this thread as well.
struct BusyWithLeftovers<'a>(&'a Shared, ThreadId);

impl BusyWithLeftovers<'_> {
    fn begin(shared: &Shared) -> BusyWithLeftovers<'_> {
        let own = thread::current().id();
        shared.end().busy_with_leftovers.push(own);
        BusyWithLeftovers(shared, own)
    }
}

impl Drop for BusyWithLeftovers<'_> {
    fn drop(&mut self) {
        let BusyWithLeftovers(shared, own) = self;
        let mut end = shared.end();
        let busy = &mut end.busy_with_leftovers;
        if let Some(at) = busy.iter().rposition(|thread| thread == own) {
            busy.swap_remove(at);
        }
        drop(end);
        shared.end_changed.notify_all();
    }
}

/// The grace of a runtime whose main actor has ended.
pub(super) const GRACE: Duration = Duration::from_secs(5);
