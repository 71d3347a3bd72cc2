//! What is known of one actor.

use std::sync::Arc;
use std::time::Duration;

use crate::actor::WorkerId;
use crate::process::{self, Pid, Process, State};
use crate::runtime::Shared;

/// What an actor is and does. From [`process_info`](crate::process_info()).
///
/// A snapshot: of an actor that runs meanwhile, figures may be those of a slice before.
/// Of one that waits they are exact.
///
/// # Examples
///
/// ```
/// use uproar::{Runtime, prelude::*};
///
/// let runtime = Runtime::builder().manual();
/// let clerk = runtime.spawn(async {
///     let Typed(()) = receive().await;            // leaves all that is no `()`
/// });
/// for n in 0..3u64 {
///     clerk.send(n);
/// }
/// runtime.run_until_idle();
/// clerk.send(3u64);
///
/// let info = runtime.process_info(&clerk).unwrap();
/// assert_eq!((info.mailbox_len, info.saved), (4, 3));
/// assert_eq!(info.state.to_string(), "runnable");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProcessInfo {
    /// Its pid.
    pub pid: Pid,
    /// The name it is registered under.
    pub name: Option<Arc<str>>,
    /// The name of its type: of the future that it runs.
    pub actor: &'static str,
    /// Where it is in its life.
    pub state: ProcessState,
    /// Messages that have been sent to it and that it has not received.
    pub mailbox_len: usize,
    /// Of those, the ones that a receive has looked at and left.
    pub saved: usize,
    /// Actors that it is linked with, in the order of their pids.
    pub links: Vec<Pid>,
    /// Actors that it monitors, once for each monitor, in the order of the monitors.
    pub monitors: Vec<Pid>,
    /// Actors that monitor it, once for each monitor, in the order of their pids.
    pub monitored_by: Vec<Pid>,
    /// Reductions that it has spent.
    pub reductions: u64,
    /// Slices that it has run.
    pub slices: u64,
    /// The worker that ran it last, or is to run it first. A blocking actor has none.
    pub worker: Option<WorkerId>,
    /// Where it may run.
    pub placement: Placement,
    /// How long ago it was spawned, on the runtime's clock, to a sixteenth of a second.
    pub age: Duration,
    /// The actor that spawned it, alive or not; `None` if it was spawned from outside.
    pub parent: Option<Pid>,
}

/// Where an actor is in its life.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ProcessState {
    /// It has not run yet.
    Starting,
    /// It waits for a worker. One that was woken by time, I/O or another library's waker,
    /// and has not run yet, still shows as waiting.
    Runnable,
    /// A worker runs it.
    Running,
    /// It waits.
    Waiting(WaitsFor),
    /// Its end is decided, and its variables are being dropped.
    Exiting,
}

/// What an actor waits for. One that waits for several things at once waits for the first
/// of these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum WaitsFor {
    /// A message: it is in a receive.
    Message,
    /// A file descriptor.
    Io,
    /// A moment.
    Time,
    /// A reply, room in a mailbox, or something of another library's.
    Other,
}

/// Where an actor may run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Placement {
    /// On any worker of its runtime.
    Normal,
    /// On one worker for life.
    Pinned,
    /// On a lane, which is a thread that it may block; with
    /// [`dedicated`](crate::Spawn::dedicated) on one of its own.
    Blocking,
}

impl std::fmt::Display for ProcessState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            ProcessState::Starting => "starting",
            ProcessState::Runnable => "runnable",
            ProcessState::Running => "running",
            ProcessState::Waiting(WaitsFor::Message) => "waiting for a message",
            ProcessState::Waiting(WaitsFor::Io) => "waiting for I/O",
            ProcessState::Waiting(WaitsFor::Time) => "waiting for time to pass",
            ProcessState::Waiting(WaitsFor::Other) => "waiting",
            ProcessState::Exiting => "exiting",
        })
    }
}

impl ProcessState {
    pub(crate) fn of(process: &Process) -> ProcessState {
        match process.state() {
            State::Starting => ProcessState::Starting,
            State::Runnable => ProcessState::Runnable,
            State::Running => ProcessState::Running,
            // Woken by a message, or a signal, and not run yet.
            State::WaitingMessage if !process.mailbox.incoming.is_parked() => {
                ProcessState::Runnable
            }
            State::WaitingMessage => ProcessState::Waiting(WaitsFor::Message),
            State::WaitingIo => ProcessState::Waiting(WaitsFor::Io),
            State::WaitingTime => ProcessState::Waiting(WaitsFor::Time),
            State::WaitingOther => ProcessState::Waiting(WaitsFor::Other),
            State::Exiting | State::Exited => ProcessState::Exiting,
        }
    }
}

impl Shared {
    /// What is known of an actor that is alive.
    pub(crate) fn process_info(&self, pid: Pid) -> Option<ProcessInfo> {
        let process = self.find_actor(pid)?;
        let beyond = process.beyond();
        Some(ProcessInfo {
            pid,
            name: beyond.name,
            actor: process.type_name(),
            state: ProcessState::of(&process),
            mailbox_len: beyond.kept + process.mailbox.undrained(),
            saved: beyond.saved,
            links: beyond.links,
            monitors: beyond.monitors,
            monitored_by: beyond.monitored_by,
            reductions: beyond.tally.reductions,
            slices: beyond.tally.slices,
            worker: (!process.placement.is_on_lane()).then(|| WorkerId::new(process.worker())),
            placement: match process.placement {
                process::Placement::Pinned => Placement::Pinned,
                process::Placement::Blocking | process::Placement::Dedicated => Placement::Blocking,
                process::Placement::Normal | process::Placement::Outside => Placement::Normal,
            },
            age: self.age().saturating_sub(process.born()),
            parent: process.parent(),
        })
    }
}
