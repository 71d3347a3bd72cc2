//! Runtimes on threads.

use std::future::{Future, poll_fn};
use std::io;
use std::ops::Deref;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::affinity::{self, Bound, Capabilities};
use super::backlogs::Round;
use super::builder::Builder;
use super::handle::Handle;
use super::shared::{Config, Shared};
use super::spawn::Options;
use super::waiters::Waiter;
use crate::actor::{Actor, Outcome};
use crate::observe::events;
use crate::process::{ExitReason, Placement, ProcessRef, State, contain};
use crate::reactor::Duty;
use crate::reactor::io::Who;
use crate::scheduler::{Lane, WATCH_TICK};

/// Runs an actor, and all that it spawns, until it ends; returns its exit reason.
///
/// The same as `Runtime::builder().run(main)`. May be called any number of times.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// assert_eq!(uproar::run(async {}), ExitReason::Normal);
/// ```
pub fn run<A>(main: A) -> ExitReason
where
    A: Actor,
    A::Future: 'static,
    A::Output: Outcome,
{
    Runtime::builder().run(main)
}

/// A runtime in the background. From [`Builder::start`].
///
/// Derefs to its [`Handle`], which has the calls. Dropping it shuts it down with no
/// grace, and waits for the end unless it is dropped on one of its own workers.
///
/// # Examples
///
/// ```
/// use uproar::{Runtime, prelude::*};
///
/// let runtime = Runtime::builder().workers(2).start().unwrap();
/// let address = runtime.spawn(async {
///     let Typed(reply_to) = receive::<Typed<ReplyTo<&str>>>().await;
///     reply_to.send("hello from a worker");
/// });
/// let hello = address.ask(|reply_to: ReplyTo<&str>| reply_to).wait();
/// assert_eq!(hello, Ok("hello from a worker"));
/// let report = runtime.shutdown(Duration::from_secs(1));
/// assert!(report.ended && report.stuck.is_empty());
/// ```
#[derive(Debug)]
pub struct Runtime {
    handle: Handle,
    threads: Threads,
}

impl Runtime {
    /// Says how the runtime is to be.
    pub fn builder() -> Builder {
        Builder::new()
    }

    pub(super) fn start(config: Config) -> io::Result<Runtime> {
        let shared = Shared::new(config);
        let threads = Threads::start(&shared, 0)?;
        Ok(Runtime {
            handle: Handle::new(shared),
            threads,
        })
    }

    /// What this machine offers to runtimes.
    pub fn capabilities() -> Capabilities {
        affinity::capabilities()
    }

    /// A way into the runtime that can be cloned and sent.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }
}

impl Deref for Runtime {
    type Target = Handle;

    fn deref(&self) -> &Handle {
        &self.handle
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.handle.shutdown(Duration::ZERO);
        if !self.handle.shared.is_here() {
            self.threads.join(&self.handle.shared);
        }
    }
}

impl Handle {
    /// Blocks the calling thread until the runtime has ended.
    ///
    /// # Panics
    /// On one of the runtime's own workers, which would wait for itself: use
    /// [`wait`](Self::wait) in an actor of another runtime.
    pub fn join(&self) {
        assert!(
            !self.shared.is_here(),
            "uproar: a worker can't wait for the end of its own runtime; call `join` elsewhere"
        );
        self.shared.wait_for_end();
    }

    /// Waits until the runtime has ended, on any executor.
    ///
    /// # Cancel safety
    /// Dropping it changes nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::{Runtime, prelude::*};
    ///
    /// let runtime = Runtime::builder().workers(1).start().unwrap();
    /// let handle = runtime.handle();
    /// runtime.spawn(async move {
    ///     handle.shutdown(Duration::from_secs(1));          // returns at once in here
    /// });
    /// async_io::block_on(runtime.wait());
    /// assert!(runtime.has_ended());
    /// ```
    pub async fn wait(&self) {
        /// Leaves the line when it is dropped.
        struct AtTheEnd<'a>(&'a Shared, Waiter);
        impl Drop for AtTheEnd<'_> {
            fn drop(&mut self) {
                let waker = self.0.end().waiters.remove(&self.1);
                drop(waker);
            }
        }

        let mut waits = AtTheEnd(&self.shared, Waiter::default());
        poll_fn(|cx| {
            if self.shared.register_end(&mut waits.1, cx.waker()) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }
}

/// Runs `main` on this thread as worker 0 of a new runtime.
pub(crate) fn run_with<F>(config: Config, main: F) -> ExitReason
where
    F: Future + 'static,
    F::Output: Outcome,
{
    let shared = Shared::new(config);
    let mut threads = match Threads::start(&shared, 1) {
        Ok(threads) => threads,
        Err(error) => return ExitReason::error(error),
    };
    let options = Options {
        placement: Placement::Pinned,
        is_main: true,
        ..shared.default_options()
    };
    // SAFETY: pinned to worker 0, which is this thread, and `'static`. `work`
    // returns when the runtime has ended, and runs or drops it before that.
    drop(unsafe { shared.spawn(main, options) });
    let bound = shared.cpus.bind(Bound::Caller);
    shared.scheduler.work(0);
    drop(bound);
    threads.join(&shared);
    shared.main_reason().unwrap_or(ExitReason::Killed)
}

/// The threads of one runtime.
#[derive(Debug, Default)]
struct Threads {
    workers: Vec<(usize, JoinHandle<()>)>,
    reactor: Option<JoinHandle<()>>,
}

impl Threads {
    /// Starts the reactor, and the workers from `first` on.
    fn start(shared: &Arc<Shared>, first: usize) -> io::Result<Threads> {
        let mut threads = Threads::default();
        let result = threads.start_all(shared, first);
        if let Err(error) = result {
            shared.begin_shutdown(Duration::ZERO);
            threads.join(shared);
            return Err(error);
        }
        Ok(threads)
    }

    fn start_all(&mut self, shared: &Arc<Shared>, first: usize) -> io::Result<()> {
        let reactor = Arc::clone(&shared.scheduler.reactor);
        shared.scheduler.watch.set_waker(move || reactor.poke());
        let this = Arc::clone(shared);
        let named = thread::Builder::new().name(format!("uproar-{}-reactor", shared.id));
        self.reactor = Some(named.spawn(move || run_reactor(&this))?);
        let weak = Arc::downgrade(shared);
        let start = move |lane: &Arc<Lane>| match weak.upgrade() {
            Some(shared) => start_lane(&shared, lane),
            None => Err(io::ErrorKind::Other.into()),
        };
        shared.scheduler.lanes.set_start(start);
        for index in first..shared.config.workers {
            let this = Arc::clone(shared);
            let worker = actor_thread(shared, format!("worker-{index}")).spawn(move || {
                let _bound = this.cpus.bind(Bound::Worker(index));
                this.scheduler.work(index)
            })?;
            self.workers.push((index, worker));
        }
        Ok(())
    }

    /// Waits for the threads of a runtime that has ended, but not for workers whose
    /// actor does not come back.
    fn join(&mut self, shared: &Shared) {
        let own = thread::current().id();
        for (index, worker) in self.workers.drain(..) {
            let stuck = shared.has_stuck() && shared.scheduler.is_stuck(index);
            if !stuck && worker.thread().id() != own {
                let _ = worker.join();
            }
        }
        shared.scheduler.lanes.join();
        if let Some(reactor) = self.reactor.take()
            && reactor.thread().id() != own
        {
            let _ = reactor.join();
        }
        shared.settle_leftovers();
    }
}

/// A thread that runs actors, not yet started.
fn actor_thread(shared: &Shared, name: String) -> thread::Builder {
    let named = thread::Builder::new().name(format!("uproar-{}-{name}", shared.id));
    match shared.config.stack_size {
        Some(bytes) => named.stack_size(bytes),
        None => named,
    }
}

fn start_lane(shared: &Arc<Shared>, lane: &Arc<Lane>) -> io::Result<JoinHandle<()>> {
    let (this, lane) = (Arc::clone(shared), Arc::clone(lane));
    actor_thread(shared, format!("lane-{}", lane.number())).spawn(move || {
        let _bound = this.cpus.bind(Bound::Lane);
        this.scheduler.run_lane(&lane)
    })
}

/// The reactor's thread: deadlines, and in between the watch and the shutdown.
fn run_reactor(shared: &Arc<Shared>) {
    let watch = &shared.scheduler.watch;
    let mut next_tick = Instant::now();
    let mut round = Round::default();
    let duty = || {
        let mut until = shared.watch_shutdown();
        attend_io(shared);
        if watch.is_awake() {
            let now = Instant::now();
            let mut awake = true;
            if now >= next_tick {
                next_tick = now + WATCH_TICK;
                awake = shared.scheduler.watch_tick(|worker| {
                    events::overlong_slice(shared.id, worker, &|| shared.running_on(worker));
                });
                shared.watch_condemned();
                shared.watch_backlogs(&mut round);
                shared.watch_slices();
            }
            if awake {
                until = Some(until.map_or(next_tick, |at| at.min(next_tick)));
            } else if shared.config.exit_when_idle {
                shared.end_if_idle();
            }
        }
        Duty { until }
    };
    let reactor = &shared.scheduler.reactor;
    reactor.run(duty, |jobs| {
        shared.run_on_worker(|shared| {
            for job in jobs {
                contain(|| job.run(&shared.scheduler.reactor));
            }
        });
    });
    shared.leave_leftovers();
}

/// I/O while workers are busy. What may be user code is for a worker.
fn attend_io(shared: &Shared) {
    let others = shared.scheduler.attend_io();
    if !others.is_empty() {
        shared.run_on_worker(|_| others.into_iter().for_each(Who::wake));
    }
}

impl Shared {
    /// Ends a runtime in which nothing can happen any more.
    fn end_if_idle(&self) {
        if self.scheduler.reactor.is_idle() && self.live() > 0 && !self.scheduler.has_work() {
            self.main_ended(ExitReason::error(self.waiting_report()));
        }
    }

    /// The actor that a worker runs, as a look at all of them says: so that no slice has
    /// to say it.
    pub(super) fn running_on(&self, worker: usize) -> Option<ProcessRef> {
        self.table.find(|process| {
            process.worker() == worker
                && process.state() == State::Running
                && !process.placement.is_on_lane()
        })
    }

    /// Whether the runtime has ended; if not, `waker` is woken when it has.
    fn register_end(&self, waiter: &mut Waiter, waker: &Waker) -> bool {
        let waker = waker.clone();
        let mut end = self.end();
        if end.ended {
            return true;
        }
        let before = end.waiters.register(waiter, waker);
        drop(end);
        drop(before);
        false
    }
}
