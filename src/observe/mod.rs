//! Figures of a runtime. Reads, and changes nothing.

pub(crate) mod events;
mod info;

pub use info::{Placement, ProcessInfo, ProcessState, WaitsFor};

use std::sync::PoisonError;
use std::time::Duration;

use crate::actor::WorkerId;
use crate::process::{self, Process, Table};
use crate::runtime::Shared;
use crate::scheduler::Counts;

/// A snapshot of a runtime's figures. From [`Handle::stats`](crate::Handle::stats).
///
/// # Examples
///
/// ```
/// use uproar::{Runtime, prelude::*};
///
/// let runtime = Runtime::builder().workers(2).manual();
/// runtime.spawn(async { send(self_pid(), "lost at the end") });
/// runtime.spawn(async { panic!("as an example") });
/// runtime.spawn(async { let _: Envelope = receive().await; });
/// runtime.run_until_idle();
///
/// let stats = runtime.stats();
/// assert_eq!((stats.spawned, stats.exited, stats.panicked, stats.live), (3, 2, 1, 1));
/// assert_eq!(stats.workers.iter().map(|worker| worker.slices).sum::<u64>(), 3);
///
/// runtime.reset_stats();
/// let stats = runtime.stats();
/// assert_eq!((stats.spawned, stats.live), (0, 1));
/// ```
///
/// Making one costs a walk through all actors, for [`WorkerStats::actors`] and
/// [`WorkerStats::mailbox_depth`], and along the messages that they have not taken in yet:
/// some 150 ns for an actor, and 25 for a message. An actor that wants its messages may have to
/// wait while its mailbox is counted.
///
/// Counters count since the start, or since the last `reset_stats`. They are read
/// one after the other while the runtime runs on, so sums may be off by what
/// happened in between.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RuntimeStats {
    /// Time since the start, on the runtime's clock.
    pub uptime: Duration,
    /// Actors that are alive.
    pub live: u64,
    /// Actors spawned.
    pub spawned: u64,
    /// Actors ended.
    pub exited: u64,
    /// Of those, by a panic.
    pub panicked: u64,
    /// Messages to the dead.
    pub dead_letters: u64,
    /// Messages that full mailboxes dropped.
    pub mailbox_drops: u64,
    /// Timers that are pending.
    pub timers: usize,
    /// Names that are taken: see [`register`](crate::register()).
    pub names: usize,
    /// Futures that wait for I/O, and look-ups of hosts by name.
    pub io_waits: usize,
    /// Sockets and other sources that are registered in the poller. A socket of
    /// [`net`](crate::net) is from its first wait on, until it is closed.
    pub io_sources: usize,
    /// Each worker's figures.
    pub workers: Vec<WorkerStats>,
    /// Those of the lanes, where blocking actors run.
    pub blocking: BlockingStats,
    /// Threads that were to be bound to a CPU.
    pub affinity: AffinityStats,
}

/// What came of [`Builder::affinity`](crate::Builder::affinity), since the start.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AffinityStats {
    /// Threads that have been bound.
    pub applied: u64,
    /// Threads that could not be: the CPU is not there or not allowed, or the operating
    /// system can't.
    pub refused: u64,
}

/// Figures of the lanes, those of dedicated actors among them.
///
/// # Examples
///
/// ```
/// use uproar::{Runtime, prelude::*};
///
/// let runtime = Runtime::builder().workers(1).blocking_threads(1).start().unwrap();
/// let (told, busy) = std::sync::mpsc::channel();
/// let (release, wait) = std::sync::mpsc::channel::<()>();
/// runtime.spawn_blocked(async move {
///     told.send(()).unwrap();
///     wait.recv().unwrap();
/// });
/// runtime.spawn_blocked(async {});
/// busy.recv().unwrap();
/// let blocking = runtime.stats().blocking;
/// assert_eq!((blocking.live, blocking.busy, blocking.queued, blocking.created), (1, 1, 1, 1));
/// release.send(()).unwrap();
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct BlockingStats {
    /// Threads that are there.
    pub live: usize,
    /// Of those, the ones that run an actor.
    pub busy: usize,
    /// Actors that wait in line for a lane.
    pub queued: usize,
    /// Threads that have been started.
    pub created: u64,
}

/// Figures of one worker.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WorkerStats {
    /// The worker.
    pub id: WorkerId,
    /// Actors that wait for it or for a thief; none that is pinned.
    pub runnable: usize,
    /// Pinned actors that wait for it.
    pub pinned_runnable: usize,
    /// Actors that it ran last, or is to run first: each that is alive is one worker's, but
    /// for the blocking ones.
    pub actors: usize,
    /// Messages in the mailboxes of those. Of an actor that runs meanwhile the figure may be
    /// that of a slice before.
    pub mailbox_depth: usize,
    /// Actors that panicked on it.
    pub panicked: u64,
    /// Slices it has run.
    pub slices: u64,
    /// Reductions they have spent.
    pub reductions: u64,
    /// Messages that receives took in them.
    pub messages: u64,
    /// Runnable actors that it stole from others.
    pub steals: u64,
    /// Runnable actors that others stole from it.
    pub stolen: u64,
    /// Searches for work that found none.
    pub failed_steals: u64,
    /// Actors that other threads made runnable here.
    pub remote_wakeups: u64,
    /// Times that it went to sleep.
    pub parks: u64,
    /// Slices that lasted longer than some 10 ms.
    pub overlong_slices: u64,
}

/// Counters as they stood at the last reset.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    spawned: u64,
    exited: u64,
    panicked: u64,
    dead_letters: u64,
    mailbox_drops: u64,
    lanes_created: u64,
    workers: Vec<[u64; COUNTERS]>,
}

const COUNTERS: usize = 10;

fn counters(counts: &Counts) -> [u64; COUNTERS] {
    [
        &counts.panicked,
        &counts.slices,
        &counts.reductions,
        &counts.messages,
        &counts.steals,
        &counts.stolen,
        &counts.failed_steals,
        &counts.remote_wakeups,
        &counts.parks,
        &counts.overlong_slices,
    ]
    .map(|count| count.get())
}

fn totals(shared: &Shared) -> Totals {
    let sum = |of: fn(&Counts) -> u64| -> u64 {
        shared.scheduler.workers.iter().map(|w| of(&w.counts)).sum()
    };
    let exited = shared.exited_outside.get() + sum(|c| c.exited.get());
    Totals {
        spawned: shared.spawned_outside.get() + sum(|c| c.spawned.get()),
        exited,
        panicked: shared.panicked_outside.get() + sum(|c| c.panicked.get()),
        dead_letters: shared.dead_letters.get(),
        mailbox_drops: shared.mailbox_drops.get(),
        lanes_created: shared.scheduler.lanes.created(),
        workers: shared
            .scheduler
            .workers
            .iter()
            .map(|w| counters(&w.counts))
            .collect(),
    }
}

/// What each worker's actors come to.
#[derive(Clone, Copy, Default)]
struct Charge {
    actors: usize,
    mailbox_depth: usize,
}

/// A shard at a time, so that its lock is held for a short while only, and never while
/// messages are counted.
fn charges(shared: &Shared) -> Vec<Charge> {
    let mut charges = vec![Charge::default(); shared.scheduler.workers.len()];
    for shard in 0..Table::SHARDS {
        let is_workers = |process: &Process| {
            process.placement != process::Placement::Outside && !process.placement.is_on_lane()
        };
        for process in shared.table.in_shard(shard, is_workers) {
            if let Some(charge) = charges.get_mut(process.worker()) {
                charge.actors += 1;
                charge.mailbox_depth += process.mailbox_len();
            }
        }
    }
    charges
}

pub(crate) fn stats(shared: &Shared) -> RuntimeStats {
    let charges = charges(shared);
    let now = totals(shared);
    let base = shared
        .baseline
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    let workers = shared.scheduler.workers.iter().enumerate().map(|(i, w)| {
        let before = base.workers.get(i).copied().unwrap_or_default();
        let mut since = now.workers[i];
        for (count, before) in since.iter_mut().zip(before) {
            *count -= before;
        }
        let [
            panicked,
            slices,
            reductions,
            messages,
            steals,
            stolen,
            failed_steals,
            remote_wakeups,
            parks,
            overlong_slices,
        ] = since;
        WorkerStats {
            id: WorkerId::new(i),
            runnable: w.runnable(),
            pinned_runnable: w.pinned_runnable(),
            actors: charges[i].actors,
            mailbox_depth: charges[i].mailbox_depth,
            panicked,
            slices,
            reductions,
            messages,
            steals,
            stolen,
            failed_steals,
            remote_wakeups,
            parks,
            overlong_slices,
        }
    });
    let lanes = &shared.scheduler.lanes;
    RuntimeStats {
        uptime: shared.age(),
        live: shared.live(),
        spawned: now.spawned - base.spawned,
        exited: now.exited - base.exited,
        panicked: now.panicked - base.panicked,
        dead_letters: now.dead_letters - base.dead_letters,
        mailbox_drops: now.mailbox_drops - base.mailbox_drops,
        timers: shared.scheduler.reactor.pending(),
        names: shared.count_names(),
        io_waits: shared.scheduler.reactor.io.waits(),
        io_sources: shared.scheduler.reactor.io.sources(),
        workers: workers.collect(),
        blocking: BlockingStats {
            live: lanes.live(),
            busy: lanes.busy(),
            queued: lanes.queued(),
            created: now.lanes_created - base.lanes_created,
        },
        affinity: AffinityStats {
            applied: shared.cpus.applied.get(),
            refused: shared.cpus.refused.get(),
        },
    }
}

pub(crate) fn reset(shared: &Shared) {
    let now = totals(shared);
    *shared
        .baseline
        .lock()
        .unwrap_or_else(PoisonError::into_inner) = now;
}
