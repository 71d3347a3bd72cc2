//! Time and I/O: the clock, deadlines and the thread that wakes for them; readiness in
//! [`io`].
//!
//! The reactor runs no actor and no user code: it wakes, and workers run. What may be
//! user code, a waker of somebody else's making or the clone of an interval's message,
//! it hands to them as a [`Job`]. On the manual driver there is no thread; the driver
//! moves the virtual clock and fires what is due.
//!
//! `[E1]` A deadline fires at most once, and not before its time.
//!
//! # Measured
//!
//! On the two cores of the design's figures, with other programs at work on them. By
//! `cargo bench --bench timers`, one worker, with none and with 1,000,000 pending, start
//! and cancel together: a `sleep` 131 and 132 ns, a timed receive 171 and 171 ns, a
//! `send_after` 190 and 293 ns (its memory comes from farther away). Two or three looks at
//! the clock, of some 50 ns each, are the larger part of the first two.
//!
//! By the peers' workload `timers`, 100,000 actors that sleep 1 to 1000 ms:
//!
//! | | lateness p50 | p99 | p999 | CPU |
//! |---|--:|--:|--:|--:|
//! | an ordered map under one lock | 0.07 ms | 3.2 to 9.7 ms | 28 to 39 ms | 0.78 to 0.87 s |
//! | this | 0.7 ms | 1.5 to 1.8 ms | 2.9 to 4.1 ms | 0.28 to 0.33 s |
//! | Go | 0.5 ms | 1.2 ms | 1.7 to 3.9 ms | 0.30 to 0.79 s |
//! | tokio | 1.2 ms | 2.8 to 3.0 ms | 3.7 to 4.9 ms | 0.33 to 0.59 s |
//!
//! Asking for the memory of the actors that are due all at once takes a tenth off the CPU
//! time. One wheel for all workers instead of one for each: the same within what the
//! machine's other work allowed to tell; kept apart, so that workers can't get into each
//! other's way.

mod alarm;
mod clock;
pub(crate) mod io;
mod message;
mod seat;
mod timers;
mod wheel;

pub use alarm::now;
pub(crate) use alarm::{Alarm, here, with_reactor};
pub(crate) use clock::Clock;
pub use io::Interest;
pub(crate) use message::{Load, Measure, MessageTimer};
pub(crate) use wheel::Key;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::Waker;
use std::time::{Duration, Instant};

use crate::observe::events;
use crate::process::{ProcessRef, contain};
use crate::scheduler::{Rng, context};
use seat::Seat;
use timers::{Started, Timers};
use wheel::{Expired, Moment, NEVER};

/// What a deadline is for.
pub(crate) enum Due {
    /// To wake an actor of ours, under its own waker.
    Actor(ProcessRef),
    /// To wake somebody else.
    Foreign(Box<Waker>),
    /// To send a message.
    Message(Arc<MessageTimer>),
}

impl Due {
    /// It does not come any more.
    pub(crate) fn abandon(self) {
        if let Due::Message(timer) = self {
            timer.abandon();
        }
    }
}

/// What is due, and is not for the reactor's thread: it may be user code. [R39]
pub(crate) enum Job {
    Wake(Box<Waker>),
    Send(Arc<MessageTimer>),
}

impl Job {
    /// For a worker, or the thread that drives a manual runtime.
    pub(crate) fn run(self, reactor: &Reactor) {
        match self {
            Job::Wake(waker) => waker.wake(),
            Job::Send(timer) => timer.send(reactor),
        }
    }
}

/// How long the reactor's thread may sleep, as its other duties see it.
pub(crate) struct Duty {
    pub(crate) until: Option<Instant>,
}

/// How a reactor is made.
pub(crate) struct Plan {
    /// The number of its runtime.
    pub(crate) runtime: u32,
    pub(crate) clock: Clock,
    pub(crate) workers: usize,
    /// The span of a tick on threads. A virtual clock is exact.
    pub(crate) resolution: Duration,
}

pub(crate) struct Reactor {
    pub(crate) runtime: u32,
    pub(crate) clock: Clock,
    /// Deadlines are counted from here.
    epoch: Instant,
    timers: Timers<Due>,
    /// Ticks of the manual driver.
    ticks: AtomicU64,
    pub(crate) io: io::Io,
    seat: Seat,
    stopped: AtomicBool,
}

/// A span in nanoseconds, from any that a wheel can hold.
fn span(nanos: Moment) -> Duration {
    const SECOND: Moment = 1_000_000_000;
    match u64::try_from(nanos / SECOND) {
        Ok(seconds) => Duration::new(seconds, (nanos % SECOND) as u32),
        Err(_) => Duration::MAX,
    }
}

/// So many lines fit into a first-level cache beside others.
const PREFETCHED: usize = 128;

/// The wheels of a virtual clock.
const TIME: usize = 0;
const TICKS: usize = 1;

impl Reactor {
    pub(crate) fn new(plan: Plan) -> Self {
        let timers = match plan.clock {
            Clock::Real => {
                let resolution = u64::try_from(plan.resolution.as_nanos());
                let resolution = resolution.unwrap_or(u64::MAX).max(1);
                Timers::new((0..=plan.workers).map(|_| resolution))
            }
            // One wheel for time, so that the order is the seed's alone, and one for ticks.
            Clock::Virtual(_) => Timers::new([1, 1]),
        };
        Reactor {
            runtime: plan.runtime,
            epoch: plan.clock.now(),
            clock: plan.clock,
            timers,
            ticks: AtomicU64::new(0),
            io: io::Io::default(),
            seat: Seat::default(),
            stopped: AtomicBool::new(false),
        }
    }

    /// A moment on the wheels.
    fn moment(&self, at: Instant) -> Moment {
        at.saturating_duration_since(self.epoch).as_nanos()
    }

    /// The time on the clock; `None` if it can't count so far.
    fn instant(&self, moment: Moment) -> Option<Instant> {
        self.epoch.checked_add(span(moment))
    }

    /// What comes so long after `now`; never, if that can't be counted.
    fn later(&self, measure: Measure, now: Moment, after: Moment) -> Moment {
        let at = now.saturating_add(after).min(NEVER);
        let counts = match measure {
            Measure::Time => self.instant(at).is_some(),
            Measure::Ticks => at < Moment::from(u64::MAX),
        };
        if counts { at } else { NEVER }
    }

    /// What has been counted so far.
    fn read(&self, measure: Measure) -> Moment {
        match measure {
            Measure::Time => self.moment(self.clock.now()),
            Measure::Ticks => self.ticks.load(Ordering::Relaxed).into(),
        }
    }

    /// The wheel for what the calling thread starts.
    fn wheel(&self, measure: Measure) -> usize {
        match (&self.clock, context::here()) {
            (Clock::Virtual(_), _) => match measure {
                Measure::Time => TIME,
                Measure::Ticks => TICKS,
            },
            (Clock::Real, Some((scheduler, Some(worker))))
                if scheduler.reactor.runtime == self.runtime =>
            {
                worker.index
            }
            (Clock::Real, _) => self.timers.last(),
        }
    }

    /// Whether there are ticks to be counted.
    pub(crate) fn has_ticks(&self) -> bool {
        matches!(self.clock, Clock::Virtual(_))
    }

    /// Has `due` happen at `at`; `now` is the time that it is. `None` never. When the
    /// runtime has ended it comes back.
    pub(crate) fn start(&self, at: Option<Instant>, now: Instant, due: Due) -> Result<Key, Due> {
        let at = at.map_or(NEVER, |at| self.moment(at));
        self.start_on(self.wheel(Measure::Time), at, self.moment(now), due)
    }

    fn start_on(&self, wheel: usize, at: Moment, now: Moment, due: Due) -> Result<Key, Due> {
        Ok(match self.timers.start(wheel, at, now, due)? {
            Started::Noticed(key) => key,
            Started::Nearer(key) => {
                self.seat.notify();
                key
            }
        })
    }

    /// Takes a deadline back. `None` if it has fired.
    pub(crate) fn cancel(&self, key: Key) -> Option<Due> {
        self.timers.cancel(key).map(|(_, due)| due)
    }

    /// Changes whom a deadline wakes. `false` when it has fired.
    fn redirect(&self, key: Key, to: Due) -> bool {
        let old = self.timers.change(key, |due| std::mem::replace(due, to));
        old.is_some()
    }

    /// Whether a deadline wakes this very waker already.
    fn wakes(&self, key: Key, waker: &Waker) -> bool {
        let same = self.timers.change(key, |due| match due {
            Due::Actor(process) => process.is_own_waker(waker),
            Due::Foreign(own) => own.will_wake(waker),
            Due::Message(_) => false,
        });
        same == Some(true)
    }

    /// Deadlines that are pending.
    pub(crate) fn pending(&self) -> usize {
        self.timers.pending()
    }

    /// The nearest deadline of a virtual clock.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.instant(self.timers.next_expiry(TIME)?)
    }

    /// Whether a timer counts ticks of the manual driver.
    pub(crate) fn counts_ticks(&self) -> bool {
        self.has_ticks() && self.timers.next_expiry(TICKS).is_some()
    }

    /// Counts a tick of the manual driver.
    pub(crate) fn tick(&self) {
        self.ticks.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether nothing is pending that will ever be due, and nobody waits for I/O.
    pub(crate) fn is_idle(&self) -> bool {
        self.timers.is_idle() && self.io.waits() == 0
    }

    /// Fires what is due now, deadline by deadline; equal ones in an order drawn from
    /// `rng`. For the manual driver.
    pub(crate) fn fire(&self, rng: &mut Rng) {
        for (wheel, measure) in [(TIME, Measure::Time), (TICKS, Measure::Ticks)] {
            let mut expired = Vec::new();
            self.timers
                .expire_in(wheel, self.read(measure), &mut expired);
            for due in shuffled(expired, rng) {
                if let Some(job) = self.happen(due) {
                    contain(|| job.run(self));
                }
            }
        }
    }

    /// Does what is due, but for user code.
    fn happen(&self, due: Due) -> Option<Job> {
        match due {
            Due::Actor(process) => {
                events::deadline_fired(Some(&process));
                process.wake();
                None
            }
            Due::Foreign(waker) => {
                events::deadline_fired(None);
                Some(Job::Wake(waker))
            }
            Due::Message(timer) => timer.due(),
        }
    }

    /// Sees to it that somebody looks for I/O, after a wait for it has begun. A worker does
    /// before it sleeps [I4]; a lane does not, nor does another thread.
    pub(crate) fn wait_begun(&self) {
        let worker = context::here().is_some_and(|(scheduler, worker)| {
            worker.is_some() && scheduler.reactor.runtime == self.runtime
        });
        if !worker {
            self.poke();
        }
    }

    /// Makes the thread look around.
    pub(crate) fn poke(&self) {
        self.seat.notify();
    }

    /// Ends the thread, and whatever is pending: it is returned for the caller to let go
    /// of, which may be user code.
    pub(crate) fn stop(&self) -> Vec<Due> {
        self.stopped.store(true, Ordering::Release);
        self.seat.notify();
        let waited = self.io.end();
        waited.into_iter().for_each(io::Who::wake);
        self.timers.close()
    }

    /// Whether the calling thread is the reactor's.
    pub(crate) fn is_here(&self) -> bool {
        self.seat.is_here()
    }

    /// The thread: fires what is due, gives away what it must not do itself, and does
    /// `duty` as often as that asks.
    pub(crate) fn run(&self, mut duty: impl FnMut() -> Duty, mut hand_over: impl FnMut(Vec<Job>)) {
        self.seat.take();
        let mut expired = Vec::new();
        loop {
            let duty = duty();
            if self.stopped.load(Ordering::Acquire) {
                return;
            }
            let now = self.clock.now();
            self.timers.expire(self.moment(now), &mut expired);
            // Actors that have slept are in no cache: let the memory bring several at once.
            for entry in expired.iter().take(PREFETCHED) {
                if let Due::Actor(process) = &entry.value {
                    process.prefetch();
                }
            }
            let jobs: Vec<Job> = expired
                .drain(..)
                .filter_map(|entry| self.happen(entry.value))
                .collect();
            if !jobs.is_empty() {
                hand_over(jobs);
            }
            let limit = duty.until.map_or(NEVER, |until| self.moment(until));
            if let Some(until) = self.timers.falls_asleep(limit) {
                self.seat.park(self.instant(until));
                self.timers.wakes_up();
            }
        }
    }
}

/// Puts what has the same deadline into an order drawn from `rng`.
fn shuffled(mut expired: Vec<Expired<Due>>, rng: &mut Rng) -> impl Iterator<Item = Due> {
    for equal in expired.chunk_by_mut(|a, b| a.at == b.at) {
        for left in (2..=equal.len()).rev() {
            equal.swap(left - 1, rng.below(left));
        }
    }
    expired.into_iter().map(|entry| entry.value)
}

#[cfg(all(test, not(uproar_loom)))]
mod tests;
