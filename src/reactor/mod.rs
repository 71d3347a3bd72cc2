//! Time: the clock, deadlines and the thread that wakes for them.
//!
//! The reactor runs no actor and no user code: it wakes, and workers run. On the
//! manual driver there is no thread; the driver moves the virtual clock and fires
//! what is due.
//!
//! `[E1]` A deadline's waker is woken at most once, and not before its time.

mod alarm;
mod clock;

pub(crate) use alarm::Alarm;
pub use alarm::now;
pub(crate) use clock::Clock;

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Instant;

use crate::scheduler::Rng;

/// Where a deadline stands in the queue.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Key {
    at: Instant,
    number: u64,
}

pub(crate) struct Reactor {
    pub(crate) clock: Clock,
    timers: Mutex<Timers>,
    changed: Condvar,
}

#[derive(Default)]
struct Timers {
    queue: BTreeMap<Key, Waker>,
    started: u64,
    /// What the thread sleeps for; `None` while it does not sleep.
    sleeps_until: Option<Instant>,
    /// Someone wants the thread to look around.
    poked: bool,
    stopped: bool,
}

/// How long the reactor's thread may sleep, as its other duties see it.
pub(crate) struct Duty {
    pub(crate) until: Option<Instant>,
}

impl Reactor {
    pub(crate) fn new(clock: Clock) -> Self {
        Reactor {
            clock,
            timers: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    fn timers(&self) -> MutexGuard<'_, Timers> {
        self.timers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has `waker` woken at `at`.
    pub(crate) fn start(&self, at: Instant, waker: Waker) -> Key {
        let mut timers = self.timers();
        timers.started += 1;
        let key = Key {
            at,
            number: timers.started,
        };
        timers.queue.insert(key, waker);
        // The thread is woken only for a nearer deadline than it sleeps for (R42).
        if timers.sleeps_until.is_some_and(|until| at < until) {
            timers.poked = true;
            drop(timers);
            self.changed.notify_one();
        }
        key
    }

    /// Changes whom a deadline wakes. `false` when it has fired.
    pub(crate) fn update(&self, key: Key, waker: &Waker) -> bool {
        let old = match self.timers().queue.get_mut(&key) {
            Some(old) if old.will_wake(waker) => return true,
            Some(old) => std::mem::replace(old, waker.clone()),
            None => return false,
        };
        drop(old);
        true
    }

    /// Takes a deadline back.
    pub(crate) fn cancel(&self, key: Key) {
        let waker = self.timers().queue.remove(&key);
        drop(waker);
    }

    /// Deadlines that are pending.
    pub(crate) fn pending(&self) -> usize {
        self.timers().queue.len()
    }

    /// The nearest deadline.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.timers().queue.keys().next().map(|key| key.at)
    }

    fn due(timers: &mut Timers, now: Instant) -> Vec<Waker> {
        let mut due = Vec::new();
        while let Some(first) = timers.queue.first_entry() {
            if first.key().at > now {
                break;
            }
            due.push(first.remove());
        }
        due
    }

    /// Fires what is due now, in an order drawn from `rng`. For the manual driver.
    pub(crate) fn fire(&self, rng: &mut Rng) -> usize {
        let now = self.clock.now();
        let mut due = Self::due(&mut self.timers(), now);
        let count = due.len();
        while !due.is_empty() {
            due.swap_remove(rng.below(due.len())).wake();
        }
        count
    }

    /// Makes the thread look around.
    pub(crate) fn poke(&self) {
        self.timers().poked = true;
        self.changed.notify_one();
    }

    /// Ends the thread.
    pub(crate) fn stop(&self) {
        self.timers().stopped = true;
        self.changed.notify_one();
    }

    /// The thread: wakes for deadlines, and does `duty` as often as that asks.
    pub(crate) fn run(&self, mut duty: impl FnMut() -> Duty) {
        /// "Sleeps until further notice": later than any deadline.
        const AGE: std::time::Duration = std::time::Duration::from_secs(3600);

        loop {
            let duty = duty();
            let mut timers = self.timers();
            loop {
                if timers.stopped {
                    return;
                }
                let now = Instant::now();
                let due = Self::due(&mut timers, now);
                if !due.is_empty() {
                    drop(timers);
                    due.into_iter().for_each(Waker::wake);
                    break;
                }
                if std::mem::take(&mut timers.poked) || duty.until.is_some_and(|at| at <= now) {
                    break;
                }
                let first = timers.queue.keys().next().map(|key| key.at);
                let until = [first, duty.until]
                    .into_iter()
                    .flatten()
                    .min()
                    .unwrap_or(now + AGE);
                timers.sleeps_until = Some(until);
                timers = self
                    .changed
                    .wait_timeout(timers, until - now)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0;
                timers.sleeps_until = None;
            }
        }
    }
}

#[cfg(all(test, not(uproar_loom)))]
mod tests;
