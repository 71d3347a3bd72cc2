//! The scheduler: workers, their queues, stealing, parking, lanes, and the watch.
//!
//! It moves [`Task`]s and knows nothing of messages. Threads run it through
//! [`Scheduler::work`], the manual driver through [`Scheduler::step`]; both use
//! the same queues.
//!
//! * `[D1]` A runnable actor is in exactly one queue, or being run: its task is an
//!   owned value that is not `Clone`.
//! * `[D2]` A pinned task is only ever in its own worker's next slot or pinned queue.
//! * `[D3]` A blocking task is only ever in the lanes' line, or with its own lane; when the
//!   runtime kills, so that it is only to end, with a worker.

mod backlog;
pub(crate) mod context;
mod counts;
mod idle;
mod inbox;
mod io;
mod lanes;
mod next;
mod ring;
mod rng;
mod task;
mod watch;
mod worker;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_task::Runnable;

pub(crate) use counts::{Count, Counts};
pub(crate) use lanes::{Lane, LanePlan, Lanes};
pub(crate) use rng::Rng;
pub(crate) use task::Task;
pub(crate) use watch::{TICK as WATCH_TICK, Watch};
pub(crate) use worker::Worker;

use crate::observe::events::{self, ActorSpan};
use crate::process::{Placement, Process};
use crate::reactor::Reactor;
use crate::sync::{CachePadded, spin_loop};
use idle::Idle;

/// Rounds over all victims before an idle worker goes to sleep, and the pause
/// between them: together about 20 µs, less than a sleep and a wake-up cost.
const SEARCH_ROUNDS: u32 = 40;
const SEARCH_PAUSE: u32 = 16;

pub(crate) struct Scheduler {
    pub(crate) workers: Box<[CachePadded<Worker>]>,
    idle: Idle,
    /// Reductions of a slice.
    reductions: i64,
    /// Messages beyond which a mailbox is too long.
    mailbox_alarm: u32,
    /// Counts the watch's ticks: time as far as slices are concerned.
    epoch: CachePadded<AtomicU64>,
    /// When it was made, and how long ago that was at the watch's last tick, or when a
    /// worker woke up last, in sixteenths of a second: good to some milliseconds.
    started: Instant,
    coarse_age: AtomicU32,
    pub(crate) watch: Watch,
    pub(crate) lanes: Lanes,
    /// Workers return from `work` when there is nothing left to run.
    stopped: AtomicBool,
    /// One thread drives all workers.
    manual: bool,
    /// The clock and the deadlines that actors of these workers use.
    pub(crate) reactor: Arc<Reactor>,
}

/// A span in sixteenths of a second: 32 bits of them are eight years.
pub(crate) fn sixteenths(span: Duration) -> u32 {
    (span.as_millis() * 16 / 1000) as u32
}

/// What a step of the manual driver came to.
pub(crate) enum Stepped {
    Ran,
    Idle,
}

impl Scheduler {
    pub(crate) fn new(
        workers: usize,
        reductions: u32,
        mailbox_alarm: u32,
        seed: u64,
        manual: bool,
        lanes: LanePlan,
        reactor: Arc<Reactor>,
    ) -> Self {
        let mut seeds = Rng::new(seed);
        Scheduler {
            workers: (0..workers)
                .map(|i| CachePadded(Worker::new(i, seeds.next())))
                .collect(),
            idle: Idle::new(workers),
            reductions: i64::from(reductions),
            mailbox_alarm,
            epoch: CachePadded(AtomicU64::new(0)),
            started: reactor.clock.now(),
            coarse_age: AtomicU32::new(0),
            watch: Watch::new(workers),
            lanes: Lanes::new(lanes),
            stopped: AtomicBool::new(false),
            manual,
            reactor,
        }
    }

    /// Queues a task that has been woken.
    #[inline]
    ///
    /// `placement` and `last`, its last worker, are its process's, which may be gone
    /// as soon as the task is in a queue.
    pub(crate) fn woken(&self, task: Task, placement: Placement, last: usize, while_running: bool) {
        if let Some(worker) = context::worker_of(self) {
            if while_running {
                // It let others go first. With nobody else in the queue this worker
                // comes back to it at once, and a helper would only take it away from
                // those that it talks to.
                if worker.push_back(task) && worker.has_queue() {
                    self.hint();
                }
                return;
            }
            let pinned_here = placement == Placement::Pinned && last == worker.index;
            if placement == Placement::Normal || pinned_here {
                if worker.put_next(task) && worker.has_queue() {
                    self.hint();
                }
                return;
            }
        }
        self.woken_elsewhere(task, placement, last, while_running);
    }

    /// Queues a new task: of an actor's child on the actor's own worker, where others
    /// steal it from.
    ///
    /// The other way is one of two random workers, the one with the shorter queue. Measured
    /// with `benches/peers` on two workers, ns, this way and that: spawn, reply and exit of
    /// a thousand at once 253 and 297, one by one 313 and 820, skynet 654 and 1,158, a
    /// million idle actors 166 and 181, big 111 and 110.
    pub(crate) fn spawned(&self, task: Task, process: &Process) {
        self.woken(task, process.placement, process.worker(), false);
    }

    /// Queues a task that is not for the calling worker: on its last worker, or for a lane.
    #[cold]
    fn woken_elsewhere(&self, task: Task, placement: Placement, last: usize, while_running: bool) {
        match placement {
            // This lane looks there next.
            Placement::Blocking if while_running => return self.lanes.push_back(task),
            Placement::Blocking => return self.woken_on_lane(task),
            Placement::Dedicated => return self.lanes.give(last, task),
            Placement::Normal | Placement::Pinned | Placement::Outside => {}
        }
        let worker = &self.workers[last];
        worker.counts.remote_wakeups.add_shared(1);
        if placement == Placement::Pinned {
            worker.push_pinned(task);
            self.call(last, false);
        } else {
            worker.push_inbox(task);
            self.call(last, true);
        }
    }

    /// Wakes a worker into whose queue something has been put; if it is awake, and others
    /// may take that, one of those.
    fn call(&self, worker: usize, for_all: bool) {
        if self.manual {
            self.reactor.io.interrupt();
            return;
        }
        self.watch.ensure_awake();
        if self.idle.take(worker) {
            self.unpark(worker);
        } else if for_all {
            self.wake_one();
        }
    }

    /// A worker of the scheduler for an actor that comes from outside: of two random
    /// ones the one with the shorter queue.
    pub(crate) fn place(&self, random: u64, placement: Placement) -> usize {
        let n = self.workers.len() as u64;
        let a = (random % n) as usize;
        let b = ((random >> 32) % n) as usize;
        let load = |worker: usize| {
            let worker = &self.workers[worker];
            match placement {
                Placement::Pinned => worker.runnable() + worker.pinned_runnable(),
                _ => worker.runnable(),
            }
        };
        if load(b) < load(a) { b } else { a }
    }

    /// Gives away what a worker keeps for itself, when its actor runs long.
    pub(crate) fn publish_next(&self, worker: &Worker) {
        if let Some(task) = worker.take_next() {
            if task.is_pinned() {
                worker.push_pinned(task);
            } else if worker.push_back(task) {
                self.hint();
            }
        }
    }

    /// Wakes a helper for work in the caller's own queue, if one seems to be needed.
    #[inline]
    fn hint(&self) {
        if self.idle.hint() {
            self.wake_one();
        }
    }

    #[cold]
    fn wake_one(&self) {
        if self.manual {
            return;
        }
        if let Some(worker) = self.idle.worker_to_wake() {
            self.unpark(worker);
        }
    }

    /// Wakes every worker, to see that something has changed.
    pub(crate) fn wake_all(&self) {
        for worker in self.idle.take_all() {
            self.unpark(worker);
        }
    }

    /// Has workers and lanes return once they find nothing to run.
    pub(crate) fn stop(&self) {
        self.divert_lanes();
        // First: a worker that has stopped may go on to join them.
        self.lanes.stop();
        self.stopped.store(true, Ordering::SeqCst);
        self.wake_all();
    }

    /// Runs actors on the calling thread as worker `index` until stopped.
    pub(crate) fn work(&self, index: usize) {
        let worker = &*self.workers[index];
        let _on = context::OnWorker::enter(self, worker);
        worker.parker.adopt();
        self.watch.ensure_awake();
        let mut slices = 0u32;
        loop {
            while let Some(task) = worker.pick(self.epoch.load(Ordering::Relaxed)) {
                self.run(worker, task);
                if self.watch.rescue_wanted() {
                    self.rescue(worker);
                }
                slices = slices.wrapping_add(1);
                if slices.is_multiple_of(io::TURN) {
                    self.io_turn(worker, slices);
                }
            }
            if !self.stopped.load(Ordering::SeqCst) {
                self.search_or_park(worker);
            } else if !worker.has_work() {
                break;
            }
        }
    }

    /// Runs one slice.
    #[inline]
    fn run(&self, worker: &Worker, task: Task) {
        let runnable = task.into_runnable();
        runnable.metadata().set_worker(worker.index);
        context::set_budget(self.reductions);
        if events::spans_are_wanted() {
            run_in_span(runnable, worker.index);
        } else {
            runnable.run();
        }
        let used = self.reductions - context::budget();
        worker.counts.reductions.add(used.max(0) as u64);
        worker.spend(used.max(1));
        worker.counts.slices.add(1);
        if worker.stuck.load(Ordering::Relaxed) {
            worker.stuck.store(false, Ordering::Release);
        }
    }

    /// Looks for work in other queues for a while, then sleeps. Returns when there
    /// may be something to do.
    #[cold]
    fn search_or_park(&self, worker: &Worker) {
        let mut searching = self.idle.start_search();
        loop {
            if searching {
                for round in 0..SEARCH_ROUNDS {
                    if round % io::ROUNDS == 0 {
                        self.serve_io();
                    }
                    let found = self.steal(worker);
                    if found.is_some() || worker.has_work() || self.stopped.load(Ordering::Relaxed)
                    {
                        // [W1] the last searcher that finds work wakes the next.
                        if self.idle.found() && self.any_stealable() {
                            self.wake_one();
                        }
                        if let Some(task) = found {
                            self.run(worker, task);
                        }
                        return;
                    }
                    for _ in 0..SEARCH_PAUSE {
                        spin_loop();
                    }
                }
                worker.counts.failed_steals.add(1);
            }
            // Here, since what a subscriber may make runnable is seen in step 2.
            events::parks(self.reactor.runtime, worker.index);
            // Step 1.
            self.idle.announce(worker.index, searching);
            // Step 2.
            let work =
                worker.has_work() || self.any_stealable() || self.stopped.load(Ordering::SeqCst);
            // Step 3. Without a retraction a wake-up is on its way, which has counted
            // us as searching.
            if work && self.idle.retract(worker.index) {
                if worker.has_work() || self.stopped.load(Ordering::SeqCst) {
                    return;
                }
                if let Some(task) = self.steal(worker) {
                    self.run(worker, task);
                    return;
                }
                searching = false;
                continue;
            }
            worker.counts.parks.add(1);
            let slept = self.sleep(worker);
            events::woke_up(self.reactor.runtime, worker.index);
            self.refresh_age();
            self.watch.worker_woke();
            let retracted = !slept.unparked && self.idle.retract(worker.index);
            if !slept.unparked && !retracted {
                // The wake-up that is on its way.
                worker.parker.park();
            }
            self.wake_in_order(slept.woken);
            if retracted {
                return;
            }
            searching = true;
        }
    }

    /// Whether a thief would find something anywhere.
    fn any_stealable(&self) -> bool {
        self.workers.iter().any(|w| w.is_stealable())
    }

    /// Steals from the others, in an order that starts anywhere.
    fn steal(&self, thief: &Worker) -> Option<Task> {
        let n = self.workers.len();
        if n < 2 {
            return None;
        }
        let start = thief.local.random(n);
        (0..n)
            .map(|i| &self.workers[(start + i) % n])
            .filter(|victim| victim.index != thief.index && victim.is_stealable())
            .find_map(|victim| self.steal_from(thief, victim))
    }

    fn steal_from(&self, thief: &Worker, victim: &Worker) -> Option<Task> {
        let (task, count) = thief.steal_from(victim)?;
        events::stole(self.reactor.runtime, thief.index, victim.index, count);
        Some(task)
    }

    /// Takes over from a stuck worker although this one has work of its own.
    #[cold]
    fn rescue(&self, worker: &Worker) {
        for victim in &self.workers {
            if victim.index != worker.index
                && victim.stuck.load(Ordering::Acquire)
                && let Some(task) = self.steal_from(worker, victim)
                && worker.push_back(task)
            {
                self.hint();
            }
        }
        self.watch.rescued();
    }

    /// One tick of the watch, on the reactor's thread. Whether to tick again. `overlong`
    /// is told of each worker whose slice has become so.
    pub(crate) fn watch_tick(&self, overlong: impl Fn(usize)) -> bool {
        self.epoch.fetch_add(1, Ordering::Relaxed);
        self.refresh_age();
        let parked = self.idle.parked();
        for worker in &self.workers {
            let slices = worker.counts.slices.get();
            let behind = worker.runnable() > 0;
            match self.watch.observe(worker.index, slices) {
                watch::Seen::Moving => {}
                watch::Seen::Still { ticks } => {
                    // A parked worker is still, too, with nothing behind it.
                    let sleeps = self.idle.is_parked(worker.index);
                    if sleeps {
                        self.watch.sleeps(worker.index);
                    }
                    if ticks == watch::OVERLONG && !sleeps {
                        worker.counts.overlong_slices.add(1);
                        overlong(worker.index);
                    }
                    if behind && !sleeps {
                        worker.stuck.store(true, Ordering::Release);
                        if parked == 0 {
                            self.watch.want_rescue();
                        }
                    }
                }
            }
            if behind && parked > 0 && worker.is_stealable() {
                self.wake_one();
            }
        }
        if !self.manual {
            self.lanes.watch(Instant::now());
        }
        self.watch
            .tick_done(|| self.idle.all_parked() && self.lanes.is_quiet())
    }

    /// Whether a worker has been in one slice for long. A hint.
    pub(crate) fn is_stuck(&self, worker: usize) -> bool {
        !self.idle.is_parked(worker) && self.watch.ticks_still(worker) >= watch::OVERLONG
    }

    /// Whether any worker has. A hint.
    pub(crate) fn any_stuck(&self) -> bool {
        self.workers
            .iter()
            .any(|worker| self.is_stuck(worker.index))
    }

    /// Workers whose slice has lasted for exactly so many ticks.
    pub(crate) fn still_for(&self, ticks: u32) -> impl Iterator<Item = usize> {
        (0..self.workers.len()).filter(move |&worker| {
            self.watch.ticks_still(worker) == ticks && !self.idle.is_parked(worker)
        })
    }

    /// Whether for so long no worker has done anything: each sleeps or is stuck.
    pub(crate) fn is_still_for(&self, span: Duration) -> bool {
        let ticks = u32::try_from(span.as_millis() / watch::TICK.as_millis()).unwrap_or(u32::MAX);
        self.workers
            .iter()
            .all(|w| self.idle.is_parked(w.index) || self.watch.ticks_still(w.index) >= ticks)
    }

    /// One slice on the calling thread, every choice drawn from `rng`.
    pub(crate) fn step(&self, rng: &mut Rng) -> Stepped {
        let n = self.workers.len();
        let lanes = self.lanes.queued() > 0;
        if lanes && rng.below(n + 1) == 0 && self.step_lane(rng) {
            return Stepped::Ran;
        }
        let start = rng.below(n);
        for i in 0..n {
            let worker = &*self.workers[(start + i) % n];
            let _on = context::OnWorker::enter(self, worker);
            match rng.below(8) {
                0 => worker.rotate(),
                1 | 2 => {
                    if let Some(task) = self.steal(worker) {
                        self.run(worker, task);
                        return Stepped::Ran;
                    }
                }
                _ => {}
            }
            // A seeded epoch ends chains at any place.
            let epoch = u64::from(rng.below(4) == 0) * 2 + self.epoch.load(Ordering::Relaxed);
            if epoch > self.epoch.load(Ordering::Relaxed) {
                self.epoch.store(epoch, Ordering::Relaxed);
            }
            if let Some(task) = worker.pick(epoch) {
                self.run(worker, task);
                return Stepped::Ran;
            }
        }
        if lanes && self.step_lane(rng) {
            return Stepped::Ran;
        }
        Stepped::Idle
    }

    /// How long ago it was made.
    pub(crate) fn age(&self) -> Duration {
        self.reactor.clock.now() - self.started
    }

    /// The same in sixteenths of a second, without a look at a real clock.
    pub(crate) fn coarse_age(&self) -> u32 {
        if self.manual {
            sixteenths(self.age())
        } else {
            self.coarse_age.load(Ordering::Relaxed)
        }
    }

    fn refresh_age(&self) {
        let age = sixteenths(self.age());
        self.coarse_age.store(age, Ordering::Relaxed);
    }

    /// Whether a manual driver runs it.
    pub(crate) fn is_manual(&self) -> bool {
        self.manual
    }

    /// Whether any queue has something, or a lane runs something.
    pub(crate) fn has_work(&self) -> bool {
        self.workers.iter().any(|w| w.has_work()) || !self.lanes.is_idle()
    }
}

/// Apart, so that it takes no room where no span is wanted.
#[cold]
#[inline(never)]
fn run_in_span(runnable: Runnable<Process>, worker: usize) {
    let _in = ActorSpan::enter(runnable.metadata(), Some(worker));
    runnable.run();
}

#[cfg(all(test, not(uproar_loom)))]
mod tests;
