//! Lanes: the threads of actors that may block.
//!
//! Lanes of the pool take tasks from one line, oldest first. One is started when a task
//! finds none that is idle, up to a bound; beyond it tasks wait in line. One that has been
//! idle for a while goes. Of the idle ones the last to sleep is called first, so that
//! under little load the others get to go. A lane of its own belongs to one actor, from
//! its spawn to its end, and is outside of the bound: idle as it mostly is, it would keep
//! others from running.
//!
//! * `[B1]` No task is left in line while a lane sleeps or could be started: who puts one
//!   there looks at the crew afterwards, and a lane looks at the line before it sleeps,
//!   both under the crew's lock.
//! * `[B2]` The pool never has more than `most` lanes.
//! * `[B3]` A lane is held by an actor only while that is polled.
//! * `[B4]` A new lane starts the next one, if there is more in line: not the worker that
//!   puts the tasks there, which other actors wait for.
//!
//! [B1] and [B2] are checked by the models below.

mod lane;
mod run;

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use concurrent_queue::ConcurrentQueue;
use slab::Slab;

use super::{Count, Task};
use crate::observe::events;
use crate::sync::{Mutex, MutexGuard};
pub(crate) use lane::Lane;

/// Lanes that are all busy for so long are worth a warning.
const FULL_FOR: Duration = Duration::from_secs(1);

/// How the pool is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LanePlan {
    pub(crate) most: usize,
    /// How long a lane sleeps before it goes.
    pub(crate) idle: Duration,
}

/// Starts the thread of a lane.
type Start<T, H> = Box<dyn Fn(&Arc<Lane<T>>) -> io::Result<H> + Send + Sync>;

/// `T` is what they run, `H` the handle of a thread.
pub(crate) struct Lanes<T = Task, H = JoinHandle<()>> {
    plan: LanePlan,
    /// Runnable blocking actors.
    line: ConcurrentQueue<T>,
    crew: Mutex<Crew<T, H>>,
    start: OnceLock<Start<T, H>>,
    /// Lanes of the pool that run an actor.
    busy: AtomicUsize,
    busy_own: AtomicUsize,
    created: Count,
}

/// Who is there.
struct Crew<T, H> {
    lanes: Slab<Member<T, H>>,
    /// Lanes of the pool, those that are being started among them.
    pool: usize,
    /// Sleeping lanes of the pool, the last one on top.
    idle: Vec<Arc<Lane<T>>>,
    /// A lane has been started, and has not looked at the line yet. [B4]
    starting: bool,
    /// The OS has refused a thread, and that has been said.
    refused: bool,
    /// Tasks go to workers.
    diverted: bool,
    stopped: bool,
    full: Full,
}

struct Member<T, H> {
    lane: Arc<Lane<T>>,
    thread: Option<H>,
}

/// How long all lanes of the pool have been busy, as the watch sees it.
#[derive(Default)]
enum Full {
    #[default]
    No,
    Since(Instant),
    Said,
}

/// What a lane does next.
enum Next {
    Look,
    Leave,
}

impl<T, H> Lanes<T, H> {
    pub(crate) fn new(plan: LanePlan) -> Lanes<T, H> {
        Lanes {
            plan,
            line: ConcurrentQueue::unbounded(),
            crew: Mutex::new(Crew::default()),
            start: OnceLock::new(),
            busy: AtomicUsize::new(0),
            busy_own: AtomicUsize::new(0),
            created: Count::default(),
        }
    }

    /// Says how threads are started. Without it there are none.
    pub(crate) fn set_start(
        &self,
        start: impl Fn(&Arc<Lane<T>>) -> io::Result<H> + Send + Sync + 'static,
    ) {
        let _ = self.start.set(Box::new(start));
    }

    fn crew(&self) -> MutexGuard<'_, Crew<T, H>> {
        self.crew.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a task in line. It comes back when it is for a worker to end.
    pub(super) fn push(&self, task: T) -> Result<(), T> {
        let mut crew = self.crew();
        if crew.diverted {
            return Err(task);
        }
        self.put_in_line(task);
        // [B1]
        if let Some(lane) = crew.idle.pop() {
            drop(crew);
            lane.call();
        } else {
            self.grow(crew);
        }
        Ok(())
    }

    /// Puts a task back in line, on the lane that has run it and looks there next.
    pub(super) fn push_back(&self, task: T) {
        self.put_in_line(task);
    }

    fn put_in_line(&self, task: T) {
        if let Err(closed) = self.line.push(task) {
            drop(closed.into_inner());
        }
    }

    /// Gives a task to the lane that is its own.
    pub(super) fn give(&self, number: usize, task: T) {
        let lane = self.crew().lanes.get(number).map(|m| m.lane.clone());
        lane.expect("an own lane stays until its actor has ended")
            .give(task);
    }

    /// Starts a lane if there is something in line for it. [B2] [B4]
    fn grow(&self, mut crew: MutexGuard<'_, Crew<T, H>>) {
        let wanted = !self.line.is_empty() && crew.idle.is_empty();
        if !wanted || crew.starting || crew.pool >= self.plan.most || crew.stopped {
            return;
        }
        if self.start.get().is_none() {
            return;
        }
        crew.starting = true;
        crew.pool += 1;
        let lane = crew.enter(false);
        drop(crew);
        if let Err(error) = self.start(&lane) {
            let mut crew = self.crew();
            crew.starting = false;
            crew.pool -= 1;
            let first = !std::mem::replace(&mut crew.refused, true);
            let queued = self.line.len();
            drop(crew);
            if first {
                events::no_lane_thread(&error, queued);
            }
        }
    }

    /// Starts the thread of a lane that is in the crew, or takes it out again.
    fn start(&self, lane: &Arc<Lane<T>>) -> io::Result<()> {
        let started = match self.start.get() {
            Some(start) => start(lane),
            None => Err(io::ErrorKind::Unsupported.into()),
        };
        let mut crew = self.crew();
        match started {
            Ok(thread) => {
                self.created.add_shared(1);
                crew.refused = false;
                // It may have gone already.
                if let Some(member) = crew.lanes.get_mut(lane.number())
                    && Arc::ptr_eq(&member.lane, lane)
                {
                    member.thread = Some(thread);
                }
                Ok(())
            }
            Err(error) => {
                crew.lanes.try_remove(lane.number());
                Err(error)
            }
        }
    }

    /// Starts a lane for one actor; its number.
    pub(crate) fn open_own(&self) -> io::Result<usize> {
        let mut crew = self.crew();
        if crew.stopped {
            return Err(io::ErrorKind::Other.into());
        }
        // The record of an actor has no room for a larger number.
        if crew.lanes.vacant_key() > usize::from(u16::MAX) {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        let lane = crew.enter(true);
        drop(crew);
        self.start(&lane)?;
        Ok(lane.number())
    }

    /// Lets an own lane go whose actor has not been accepted.
    pub(crate) fn dismiss(&self, number: usize) {
        let lane = self.crew().lanes.get(number).map(|m| m.lane.clone());
        if let Some(lane) = lane {
            lane.stop();
        }
    }

    /// What a lane of the pool does: runs what is in line, until there has been nothing for a
    /// while. `rests` is told whenever there is nothing.
    pub(super) fn serve(
        &self,
        lane: &Arc<Lane<T>>,
        mut run: impl FnMut(T),
        mut rests: impl FnMut(),
    ) {
        let mut first = self.arrive();
        loop {
            while let Some(task) = first.take().or_else(|| self.pop()) {
                run(task);
            }
            rests();
            if matches!(self.rest(lane), Next::Leave) {
                return;
            }
        }
    }

    /// A new lane looks around. [B4]
    fn arrive(&self) -> Option<T> {
        let task = self.pop();
        let mut crew = self.crew();
        crew.starting = false;
        self.grow(crew);
        task
    }

    /// The oldest task in line.
    pub(super) fn pop(&self) -> Option<T> {
        self.line.pop().ok()
    }

    /// A lane of the pool has found nothing in line. Whether to look again.
    fn rest(&self, lane: &Arc<Lane<T>>) -> Next {
        let mut crew = self.crew();
        // [B1]
        if !self.line.is_empty() {
            return Next::Look;
        }
        if crew.stopped {
            return Next::Leave;
        }
        crew.idle.push(lane.clone());
        drop(crew);
        if lane.wait(self.plan.idle) {
            return Next::Look;
        }
        let mut crew = self.crew();
        let Some(at) = crew.idle.iter().position(|idle| Arc::ptr_eq(idle, lane)) else {
            // It has just been called after all.
            lane.take_call();
            return Next::Look;
        };
        crew.idle.remove(at);
        crew.pool -= 1;
        let member = crew.leave(lane);
        drop(crew);
        drop(member);
        Next::Leave
    }

    /// An own lane's actor has ended.
    pub(super) fn leave_own(&self, lane: &Arc<Lane<T>>) {
        let mut crew = self.crew();
        if crew.stopped {
            // It is joined.
            return;
        }
        let member = crew.leave(lane);
        drop(crew);
        drop(member);
    }

    /// Says that a lane runs an actor, until it does no longer.
    pub(super) fn count_busy(&self, lane: &Lane<T>, busy: bool) {
        let counter = if lane.is_own() {
            &self.busy_own
        } else {
            &self.busy
        };
        if busy {
            counter.fetch_add(1, Ordering::SeqCst);
        } else {
            counter.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Whether a task in line has to wait for another actor.
    pub(crate) fn is_full(&self) -> bool {
        self.busy.load(Ordering::SeqCst) >= self.plan.most
    }

    /// Whether nobody is in line, and no lane runs anything.
    pub(crate) fn is_idle(&self) -> bool {
        self.line.is_empty() && self.busy() == 0
    }

    /// Whether the watch may sleep.
    pub(super) fn is_quiet(&self) -> bool {
        self.line.is_empty() && !self.is_full()
    }

    /// A tick of the watch, which tries again where the OS has refused a thread.
    pub(super) fn watch(&self, now: Instant) {
        let crew = self.crew();
        if crew.refused {
            self.grow(crew);
            return;
        }
        drop(crew);
        if self.is_full_for_long(now) {
            events::lanes_are_full(self.plan.most, self.queued(), self.some_actor());
        }
    }

    /// Whether all lanes have been busy for so long that it should be said, which it
    /// has not been.
    fn is_full_for_long(&self, now: Instant) -> bool {
        let full = self.is_full();
        let mut crew = self.crew();
        match crew.full {
            _ if !full => crew.full = Full::No,
            Full::No => crew.full = Full::Since(now),
            Full::Since(since) if now.saturating_duration_since(since) >= FULL_FOR => {
                crew.full = Full::Said;
                return true;
            }
            Full::Since(_) | Full::Said => {}
        }
        false
    }

    /// The type of an actor that is on a lane.
    fn some_actor(&self) -> Option<&'static str> {
        let crew = self.crew();
        crew.lanes.iter().find_map(|(_, m)| m.lane.actor())
    }

    /// From now on tasks come back from `push`, and so does what is in line: they are
    /// only to end, which must not wait for a lane.
    pub(super) fn divert(&self) -> Vec<T> {
        self.crew().diverted = true;
        std::iter::from_fn(|| self.pop()).collect()
    }

    /// Has lanes leave when they find nothing to run.
    pub(super) fn stop(&self) {
        let mut crew = self.crew();
        crew.stopped = true;
        crew.idle.clear();
        let lanes: Vec<_> = crew.lanes.iter().map(|(_, m)| m.lane.clone()).collect();
        drop(crew);
        lanes.iter().for_each(|lane| lane.stop());
    }

    /// Threads that are there.
    pub(crate) fn live(&self) -> usize {
        self.crew().lanes.len()
    }

    /// Threads that run an actor.
    pub(crate) fn busy(&self) -> usize {
        self.busy.load(Ordering::SeqCst) + self.busy_own.load(Ordering::SeqCst)
    }

    /// Actors in line.
    pub(crate) fn queued(&self) -> usize {
        self.line.len()
    }

    /// Threads that have been started.
    pub(crate) fn created(&self) -> u64 {
        self.created.get()
    }
}

impl Lanes {
    /// Waits for the threads of a runtime that has ended, but not for those whose actor
    /// does not come back.
    pub(crate) fn join(&self) {
        let mut crew = self.crew();
        let members: Vec<_> = crew.lanes.drain().collect();
        drop(crew);
        let own = std::thread::current().id();
        for Member { lane, thread } in members {
            if let Some(thread) = thread
                && thread.thread().id() != own
                && !lane.is_stuck()
            {
                let _ = thread.join();
            }
        }
    }
}

impl<T, H> Default for Crew<T, H> {
    fn default() -> Crew<T, H> {
        Crew {
            lanes: Slab::new(),
            pool: 0,
            idle: Vec::new(),
            starting: false,
            refused: false,
            diverted: false,
            stopped: false,
            full: Full::No,
        }
    }
}

impl<T, H> Crew<T, H> {
    fn enter(&mut self, own: bool) -> Arc<Lane<T>> {
        let entry = self.lanes.vacant_entry();
        let lane = Arc::new(Lane::new(entry.key(), own));
        entry.insert(Member {
            lane: lane.clone(),
            thread: None,
        });
        lane
    }

    /// The caller drops it, and so the handle of its own thread, without the lock.
    fn leave(&mut self, lane: &Arc<Lane<T>>) -> Option<Member<T, H>> {
        self.lanes.try_remove(lane.number())
    }
}

#[cfg(all(test, uproar_loom))]
#[path = "models.rs"]
mod loom_models;
