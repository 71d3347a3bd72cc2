//! Everything that is traced, as the guide's table says it: one function for each row.
//!
//! `[V1]` Where nobody listens an event costs a relaxed load and a comparison: what it would
//! say is looked up in a function of its own, which is called only when some subscriber may
//! want that level.
//!
//! `[V2]` Subscribers are code of the user's. They are called with no lock held, and a panic
//! of theirs ends with the event.

use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use tracing::level_filters::{LevelFilter, STATIC_MAX_LEVEL};
use tracing::span::EnteredSpan;
use tracing::{debug, debug_span, error, trace, warn};

use crate::process::{ExitReason, Panicked, Pid, Process, contain};
use crate::scheduler::context;

const ACTOR: &str = "uproar::actor";
const SPAWN: &str = "uproar::spawn";
const EXIT: &str = "uproar::exit";
const LINK: &str = "uproar::link";
const MONITOR: &str = "uproar::monitor";
const NAME: &str = "uproar::name";
const DEAD_LETTER: &str = "uproar::dead_letter";
const MAILBOX: &str = "uproar::mailbox";
const HANDLER: &str = "uproar::handler";
const TIMER: &str = "uproar::timer";
const SCHEDULER: &str = "uproar::scheduler";
const RUNTIME: &str = "uproar::runtime";
const REACTOR: &str = "uproar::reactor";

/// Whether some subscriber may want this level.
#[inline(always)]
fn is_heard(level: LevelFilter) -> bool {
    level <= STATIC_MAX_LEVEL && level <= LevelFilter::current()
}

/// Makes of each event a look at the level [V1], and a function that nobody enters before
/// that.
macro_rules! events {
    ($(
        $(#[$doc:meta])*
        $level:ident fn $name:ident($($field:ident: $type:ty),*) $body:block
    )*) => {
        $(
            $(#[$doc])*
            #[inline]
            pub(crate) fn $name($($field: $type),*) {
                #[cold]
                #[inline(never)]
                fn event($($field: $type),*) {
                    contain(|| $body);
                }
                if is_heard(LevelFilter::$level) {
                    event($($field),*);
                }
            }
        )*
    };
}

/// The type of an actor, and its pid, as fields. A pid by itself says too little when
/// whoever reads it has the log only.
macro_rules! of {
    ($level:ident, $target:ident, $process:ident $(, $($rest:tt)+)?) => {
        $level!(
            target: $target,
            pid = %$process.pid(), actor = $process.type_name() $(, $($rest)+)?
        )
    };
}

events! {
    /// It is in the books, and has not run.
    DEBUG fn spawned(process: &Process) {
        let parent = process.parent().map(tracing::field::display);
        of!(debug, SPAWN, process, parent, "actor spawned");
    }

    /// It has left the books, in whatever way but those below.
    DEBUG fn ended(process: &Process, reason: &ExitReason) {
        of!(debug, EXIT, process, %reason, "actor ended");
    }

    WARN fn failed(process: &Process, reason: &ExitReason) {
        of!(warn, EXIT, process, %reason, "actor failed");
    }

    WARN fn panicked(process: &Process, panic: &Panicked) {
        let (reason, location) = (panic.message(), panic.location());
        of!(warn, EXIT, process, reason, location, "actor panicked");
    }

    /// It has left the books in the middle of its code.
    WARN fn given_up(process: &Process) {
        of!(
            warn, EXIT, process,
            "killed in the middle of its code: it counts as dead, and its thread is busy until \
             the code returns"
        );
    }

    /// The code of one that was given up has returned.
    DEBUG fn came_back(process: &Process) {
        of!(debug, EXIT, process, "the code of an actor that counted as dead has returned");
    }

    TRACE fn linked(pid: Pid, peer: Pid) {
        trace!(target: LINK, %pid, %peer, "linked");
    }

    TRACE fn unlinked(pid: Pid, peer: Pid) {
        trace!(target: LINK, %pid, %peer, "unlinked");
    }

    TRACE fn monitored(pid: Pid, of: Pid) {
        trace!(target: MONITOR, %pid, %of, "monitored");
    }

    TRACE fn demonitored(pid: Pid, of: Pid) {
        trace!(target: MONITOR, %pid, %of, "demonitored");
    }

    TRACE fn registered(pid: Pid, name: &str) {
        trace!(target: NAME, %pid, name, "registered");
    }

    /// By a call, or in the end of its actor.
    TRACE fn unregistered(pid: Pid, name: &str) {
        trace!(target: NAME, %pid, name, "unregistered");
    }

    /// By the actor whose code runs, if it is one.
    DEBUG fn dead_letter(to: Pid, message_type: &'static str) {
        let from = context::try_current().map(|process| tracing::field::display(process.pid()));
        debug!(target: DEAD_LETTER, %to, message_type, from, "dead letter");
    }

    DEBUG fn mailbox_drop(process: &Process) {
        of!(debug, MAILBOX, process, "a full mailbox dropped a message");
    }

    WARN fn long_mailbox(process: &Process, length: usize) {
        of!(warn, MAILBOX, process, length, "a mailbox is long");
    }

    WARN fn unheard_error(process: &Process, handler: &'static str, error: &dyn Debug) {
        of!(
            warn, HANDLER, process, handler, ?error,
            "a handler failed, and nobody waits for its reply"
        );
    }

    /// A message has been put into a mailbox.
    TRACE fn message_fired(pid: Pid) {
        trace!(target: TIMER, %pid, "message timer fired");
    }

    TRACE fn message_cancelled(pid: Pid) {
        trace!(target: TIMER, %pid, "message timer cancelled");
    }

    /// For an actor, or for a waker of somebody else's making.
    TRACE fn deadline_fired(process: Option<&Process>) {
        let pid = process.map(|process| tracing::field::display(process.pid()));
        trace!(target: TIMER, pid, "deadline fired");
    }

    /// By the actor whose code runs, if it is one.
    TRACE fn deadline_cancelled() {
        let pid = context::try_current().map(|process| tracing::field::display(process.pid()));
        trace!(target: TIMER, pid, "deadline cancelled");
    }

    ERROR fn interval_panicked(process: &Process, panic: &Panicked) {
        of!(
            error, TIMER, process, %panic,
            "the message of an interval panicked in its `clone`; the interval ends"
        );
    }

    TRACE fn stole(runtime: u32, worker: usize, victim: usize, count: usize) {
        trace!(target: SCHEDULER, runtime, worker, victim, count, "stole");
    }

    /// It has found nothing to do.
    TRACE fn parks(runtime: u32, worker: usize) {
        trace!(target: SCHEDULER, runtime, worker, "parks");
    }

    TRACE fn woke_up(runtime: u32, worker: usize) {
        trace!(target: SCHEDULER, runtime, worker, "woke up");
    }

    DEBUG fn overlong_slice(runtime: u32, worker: usize, find: &dyn Fn() -> Option<crate::process::ProcessRef>) {
        if !tracing::enabled!(target: SCHEDULER, tracing::Level::DEBUG) {
            return;
        }
        let process = find();
        let pid = process.as_ref().map(|process| tracing::field::display(process.pid()));
        let actor = process.as_ref().map(|process| process.type_name());
        debug!(target: SCHEDULER, pid, actor, runtime, worker, "a slice is overlong");
    }

    /// Its slice lasts so long that it should be of another class.
    WARN fn blocks_worker(limit: Duration, worker: usize, find: &dyn Fn() -> Option<crate::process::ProcessRef>) {
        if !tracing::enabled!(target: SCHEDULER, tracing::Level::WARN) {
            return;
        }
        if let Some(process) = find() {
            of!(
                warn, SCHEDULER, process, worker, ?limit,
                "an actor blocks its worker; spawn it with `spawn_blocked`, or let it await now and then"
            );
        }
    }

    /// Blocking actors keep all lanes busy, this one among them.
    WARN fn lanes_are_full(lanes: usize, queued: usize, such_as: Option<&'static str>) {
        warn!(
            target: SCHEDULER,
            lanes, queued, such_as,
            "all lanes have been busy for a second; see `Builder::blocking_threads`"
        );
    }

    /// Blocking actors go on when there is a thread, or wait for those that there are.
    WARN fn no_lane_thread(error: &std::io::Error, queued: usize) {
        warn!(target: SCHEDULER, %error, queued, "no thread can be started for blocking actors");
    }

    WARN fn no_own_thread(error: &std::io::Error) {
        warn!(target: SCHEDULER, %error, "no thread can be started for a dedicated actor");
    }

    /// It runs where the OS puts it.
    WARN fn affinity_refused(cpus: &[usize], error: &std::io::Error) {
        warn!(target: SCHEDULER, ?cpus, %error, "a thread can't be bound to its CPU");
    }

    /// The system refuses to say what is ready, or to have a poller made.
    ERROR fn poller_fails(error: &std::io::Error) {
        error!(target: REACTOR, %error, "the poller fails");
    }

    /// So the manual driver blocks.
    WARN fn waits_for_real_io(runtime: u32, waits: usize) {
        warn!(
            target: REACTOR,
            runtime, waits,
            "the virtual clock waits for real I/O, which does not come"
        );
    }

    /// It may be dropped on no other thread.
    ERROR fn leaked(actor: &'static str) {
        error!(
            target: EXIT,
            actor,
            "the thread of an actor that is not `Send` is gone: its future is leaked"
        );
    }

    DEBUG fn runtime_started(runtime: u32, workers: usize) {
        debug!(target: RUNTIME, runtime, workers, "runtime started");
    }

    DEBUG fn runtime_shuts_down(runtime: u32, grace: Duration) {
        debug!(target: RUNTIME, runtime, ?grace, "runtime shuts down");
    }

    DEBUG fn grace_is_over(runtime: u32, killed: usize) {
        debug!(target: RUNTIME, runtime, killed, "the grace is over, and the rest is killed");
    }

    /// The runtime has ended, and this one is still in its code.
    ERROR fn left_behind(pid: Pid, actor: &'static str) {
        error!(
            target: RUNTIME,
            %pid, actor,
            "an actor does not come back from its own code; its thread is left to itself"
        );
    }

    DEBUG fn runtime_ended(runtime: u32) {
        debug!(target: RUNTIME, runtime, "runtime ended");
    }
}

/// Whether warnings may be wanted: whether it is worth looking for something to warn of.
#[inline]
pub(crate) fn warns() -> bool {
    is_heard(LevelFilter::WARN)
}

/// Whether somebody may want the span of an actor. See [`ActorSpan`].
#[inline(always)]
pub(crate) fn spans_are_wanted() -> bool {
    is_heard(LevelFilter::DEBUG)
}

/// The span in which an actor's code runs, entered until this is dropped. It is made for
/// each slice, so that it takes no room in the record of an actor.
pub(crate) struct ActorSpan(Option<EnteredSpan>);

impl ActorSpan {
    #[cold]
    #[inline(never)]
    pub(crate) fn enter(process: &Process, worker: Option<usize>) -> ActorSpan {
        let pid = process.pid();
        if pid == Pid::nobody(pid.runtime()) {
            // A job of the runtime's own.
            return ActorSpan(None);
        }
        let entered = catch_unwind(AssertUnwindSafe(|| {
            let actor = process.type_name();
            debug_span!(target: ACTOR, "actor", %pid, actor, worker).entered()
        }));
        ActorSpan(entered.ok())
    }
}

impl Drop for ActorSpan {
    #[cold]
    fn drop(&mut self) {
        let span = self.0.take();
        contain(|| drop(span));
    }
}
