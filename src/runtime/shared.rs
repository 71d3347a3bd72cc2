use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering, fence};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::affinity::{Affinity, Cpus};
use super::condemned::Condemned;
use super::deadlock::Asks;
use super::registry;
use super::shutdown::End;
use crate::mailbox::Mailbox;
use crate::observe::events;
use crate::process::{Names, Process, Table};
use crate::reactor::{Clock, Plan, Reactor};
use crate::scheduler::{Count, LanePlan, Scheduler, context};

/// What a runtime is made from.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) workers: usize,
    pub(crate) reductions: u32,
    pub(crate) mailbox: Mailbox,
    /// Messages beyond which a mailbox is too long; `u32::MAX` for any number.
    pub(crate) mailbox_alarm: u32,
    pub(crate) seed: u64,
    pub(crate) manual: bool,
    pub(crate) exit_when_idle: bool,
    pub(crate) stack_size: Option<usize>,
    pub(crate) timer_resolution: Duration,
    pub(crate) lanes: LanePlan,
    pub(crate) slice_alarm: Duration,
    pub(crate) affinity: Affinity,
    pub(crate) jump_over_io: bool,
}

/// How far a runtime has come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub(crate) enum Phase {
    Running,
    /// All actors have been told to shut down, and have their grace.
    Stopping,
    /// The grace is over: those that are left have been killed.
    Killing,
    /// Nobody is left, or nobody that comes back from its own code.
    Ended,
}

/// One runtime.
pub(crate) struct Shared {
    pub(crate) id: u32,
    pub(crate) config: Config,
    pub(crate) scheduler: Scheduler,
    pub(crate) table: Table,
    pub(crate) names: Names,
    phase: AtomicU8,
    pub(super) end: Mutex<End>,
    pub(super) end_changed: Condvar,
    pub(crate) dead_letters: Count,
    pub(crate) mailbox_drops: Count,
    /// What threads other than workers have spawned, and ended.
    pub(crate) spawned_outside: Count,
    pub(crate) exited_outside: Count,
    /// Threads other than workers that are about to enter an actor: while there are
    /// any, the runtime does not end.
    pub(super) entering: AtomicU64,
    pub(crate) panicked_outside: Count,
    pub(super) condemned: Condemned,
    pub(super) asks: Asks,
    pub(crate) cpus: Cpus,
    /// What `reset_stats` subtracts.
    pub(crate) baseline: Mutex<crate::observe::Totals>,
}

impl Shared {
    pub(crate) fn new(config: Config) -> Arc<Shared> {
        crate::process::note_panic_locations();
        let clock = if config.manual {
            Clock::new_virtual()
        } else {
            Clock::Real
        };
        let id = registry::new_number();
        let reactor = Arc::new(Reactor::new(Plan {
            runtime: id,
            clock,
            workers: config.workers,
            resolution: config.timer_resolution,
        }));
        // So that nobody can choose names that meet each other.
        let names_seed = match config.manual {
            true => config.seed,
            false => RandomState::new().hash_one(id),
        };
        let shared = Arc::new(Shared {
            id,
            scheduler: Scheduler::new(
                config.workers,
                config.reductions,
                config.mailbox_alarm,
                config.seed,
                config.manual,
                config.lanes,
                reactor,
            ),
            cpus: Cpus::new(config.affinity.clone()),
            config,
            table: Table::new(),
            names: Names::new(names_seed),
            phase: AtomicU8::new(Phase::Running as u8),
            end: Mutex::default(),
            end_changed: Condvar::new(),
            dead_letters: Count::default(),
            mailbox_drops: Count::default(),
            spawned_outside: Count::default(),
            exited_outside: Count::default(),
            entering: AtomicU64::new(0),
            panicked_outside: Count::default(),
            condemned: Condemned::default(),
            asks: Asks::default(),
            baseline: Mutex::default(),
        });
        registry::enter(&shared);
        events::runtime_started(id, shared.config.workers);
        shared
    }

    pub(crate) fn phase(&self) -> Phase {
        match self.phase.load(Ordering::SeqCst) {
            0 => Phase::Running,
            1 => Phase::Stopping,
            2 => Phase::Killing,
            _ => Phase::Ended,
        }
    }

    /// Goes on to a later phase. Whether this call did it.
    pub(super) fn enter_phase(&self, phase: Phase) -> bool {
        self.phase.fetch_max(phase as u8, Ordering::SeqCst) < phase as u8
    }

    pub(super) fn end(&self) -> MutexGuard<'_, End> {
        self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The runtime of a process.
    ///
    /// # Safety
    /// [P3] The process is unfinished, or the caller knows otherwise that its
    /// runtime is alive, for as long as it uses the reference.
    #[inline]
    pub(crate) unsafe fn of<'a>(process: &Process) -> &'a Shared {
        // SAFETY: by the contract.
        unsafe { &*process.runtime().cast::<Shared>() }
    }

    /// How long it has been there, on its clock.
    pub(crate) fn age(&self) -> Duration {
        self.scheduler.age()
    }

    /// The same in sixteenths of a second, for the record of a new actor.
    pub(super) fn age_for_birth(&self) -> u32 {
        if context::worker_of(&self.scheduler).is_some() {
            self.scheduler.coarse_age()
        } else {
            crate::scheduler::sixteenths(self.age())
        }
    }

    /// Whether the calling thread is one of its workers or lanes, which hold it.
    pub(crate) fn is_here(&self) -> bool {
        context::is_at(&self.scheduler)
    }

    /// Actors that are alive, as the workers' counters say.
    pub(crate) fn live(&self) -> u64 {
        // Ends are read first: an actor that is spawned and ends in between must
        // not count as ended only.
        let exited = self.exited_outside.get()
            + self
                .scheduler
                .workers
                .iter()
                .map(|w| w.counts.exited.get())
                .sum::<u64>();
        // ORDERING: pairs with the release in `ended`: who sees an actor's end sees
        // that it was spawned.
        fence(Ordering::Acquire);
        let spawned = self.spawned_outside.get()
            + self
                .scheduler
                .workers
                .iter()
                .map(|w| w.counts.spawned.get())
                .sum::<u64>();
        spawned.saturating_sub(exited)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        registry::leave(self.id);
        // What is still queued ends here, while the runtime is whole: destructors
        // of actors reach it.
        for worker in &self.scheduler.workers {
            let _on = context::OnWorker::enter(&self.scheduler, worker);
            loop {
                let rest = worker.clear();
                if rest.is_empty() {
                    break;
                }
                for task in rest {
                    // Of a worker that has gone, while a thread was about to wake an
                    // actor that had been given up: it may not be dropped elsewhere.
                    if task.is_pinned() && !self.config.manual {
                        std::mem::forget(task);
                    }
                }
            }
        }
    }
}
