//! Figures of a runtime. Reads, and changes nothing.

use std::sync::PoisonError;
use std::time::Duration;

use crate::actor::WorkerId;
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
    /// Futures that wait for I/O, and look-ups of names.
    pub io_waits: usize,
    /// Sockets and other sources that are registered in the poller. A socket of
    /// [`net`](crate::net) is from its first wait on, until it is closed.
    pub io_sources: usize,
    /// Each worker's figures.
    pub workers: Vec<WorkerStats>,
}

/// Figures of one worker.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WorkerStats {
    /// The worker.
    pub id: WorkerId,
    /// Actors that wait for it or for a thief.
    pub runnable: usize,
    /// Pinned actors that wait for it.
    pub pinned_runnable: usize,
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
        workers: shared
            .scheduler
            .workers
            .iter()
            .map(|w| counters(&w.counts))
            .collect(),
    }
}

pub(crate) fn stats(shared: &Shared) -> RuntimeStats {
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
    RuntimeStats {
        uptime: shared.scheduler.reactor.clock.now() - shared.started,
        live: shared.live(),
        spawned: now.spawned - base.spawned,
        exited: now.exited - base.exited,
        panicked: now.panicked - base.panicked,
        dead_letters: now.dead_letters - base.dead_letters,
        mailbox_drops: now.mailbox_drops - base.mailbox_drops,
        timers: shared.scheduler.reactor.pending(),
        io_waits: shared.scheduler.reactor.io.waits(),
        io_sources: shared.scheduler.reactor.io.sources(),
        workers: workers.collect(),
    }
}

pub(crate) fn reset(shared: &Shared) {
    let now = totals(shared);
    *shared
        .baseline
        .lock()
        .unwrap_or_else(PoisonError::into_inner) = now;
}
