use std::cell::RefCell;
use std::future::Future;
use std::ops::Deref;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Phase;
use super::caught::Caught;
use super::handle::Handle;
use super::shared::{Config, Shared};
use super::shutdown::ShutdownReport;
use super::spawn::Options;
use crate::actor::{Target, Timer, send_every, send_once};
use crate::observe::events;
use crate::process::{Placement, Process};
use crate::reactor::Measure;
use crate::reactor::io::{Event, Who};
use crate::scheduler::{Rng, Stepped};

/// A runtime without threads: nothing happens but in `tick`, `run_until_idle`,
/// `advance`, `block_on` and `shutdown`.
///
/// It has the queues, mailboxes and records that threads would use, and draws every
/// choice (which worker, which actor, whether to steal, the order of equal
/// deadlines) from a generator with the builder's seed. The same seed gives the same
/// run, for actors that take time and randomness from the runtime. Its clock is
/// virtual and moves only in `advance` and `block_on`.
///
/// Derefs to its [`Handle`].
///
/// Source: R59.
///
/// # Examples
///
/// ```
/// use uproar::{Runtime, prelude::*};
///
/// let runtime = Runtime::builder().seed(7).manual();
/// let inbox = runtime.inbox::<&str>();
/// let to = inbox.address();
/// runtime.spawn(async move {
///     sleep(Duration::from_secs(3600)).await;
///     to.send("an hour later");
/// });
/// runtime.run_until_idle();
/// assert_eq!(inbox.try_recv(), None);
/// runtime.advance(Duration::from_secs(3600));
/// assert_eq!(inbox.try_recv(), Some("an hour later"));
/// ```
#[derive(Debug)]
pub struct ManualRuntime {
    handle: Handle,
    rng: RefCell<Rng>,
    /// I/O that has come, and that nobody has been told yet.
    io: RefCell<Vec<Event>>,
}

/// After so long a wait for real I/O the log says so.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a [`ManualRuntime::tick`] did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Tick {
    /// One actor ran one slice.
    Ran,
    /// Nobody can run before this moment.
    Waits(Instant),
    /// Nobody can run, and no deadline is pending, but a timer that counts ticks is: it is
    /// one tick nearer.
    Counted,
    /// Nobody can run, and no deadline is pending, but somebody waits for I/O that has not
    /// come.
    WaitsForIo,
    /// Nobody can run, no timer is pending, and nobody waits for I/O.
    Idle,
}

impl ManualRuntime {
    pub(super) fn new(config: Config) -> ManualRuntime {
        let rng = RefCell::new(Rng::new(config.seed));
        ManualRuntime {
            handle: Handle::new(Shared::new(config)),
            rng,
            io: RefCell::default(),
        }
    }

    /// A way into the runtime that can be cloned and sent.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    fn shared(&self) -> &Arc<Shared> {
        &self.handle.shared
    }

    /// Fires the deadlines that are due and runs one slice of one actor.
    ///
    /// # Panics
    /// Inside an actor of this runtime: a tick does not tick.
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::{Runtime, Tick, prelude::*};
    ///
    /// let runtime = Runtime::builder().manual();
    /// runtime.spawn(async {
    ///     yield_now().await;                             // ends the first slice
    ///     sleep(Duration::from_secs(1)).await;           // ends the second
    /// });
    /// let second = runtime.now() + Duration::from_secs(1);
    /// let ticks: Vec<Tick> = (0..3).map(|_| runtime.tick()).collect();
    /// assert_eq!(ticks, [Tick::Ran, Tick::Ran, Tick::Waits(second)]);
    /// runtime.advance(Duration::from_secs(1));
    /// assert_eq!(runtime.tick(), Tick::Idle);
    /// ```
    pub fn tick(&self) -> Tick {
        let mut rng = self
            .rng
            .try_borrow_mut()
            .expect("uproar: a manual runtime was ticked by one of its own actors");
        let scheduler = &self.shared().scheduler;
        scheduler.reactor.tick();
        scheduler.reactor.fire(&mut rng);
        if scheduler.reactor.io.waits() > 0 {
            scheduler.fetch_io(&mut self.io.borrow_mut());
            self.show_io(|| rng.below(2) == 0);
        }
        let mut stepped = scheduler.step(&mut rng);
        if matches!(stepped, Stepped::Idle) && !self.io.borrow().is_empty() {
            self.show_io(|| true);
            stepped = scheduler.step(&mut rng);
        }
        match stepped {
            Stepped::Ran => Tick::Ran,
            Stepped::Idle => match scheduler.reactor.next() {
                Some(at) => Tick::Waits(at),
                None if scheduler.reactor.counts_ticks() => Tick::Counted,
                None if scheduler.reactor.io.waits() > 0 => Tick::WaitsForIo,
                None => Tick::Idle,
            },
        }
    }

    /// Wakes those for whom I/O has come, of each as `draw` says; the others later.
    fn show_io(&self, mut draw: impl FnMut() -> bool) {
        let io = &self.shared().scheduler.reactor.io;
        let shown: Vec<Event> = self.io.borrow_mut().extract_if(.., |_| draw()).collect();
        let mut woken = Vec::new();
        io.deliver(shown, &mut woken);
        woken.into_iter().for_each(Who::wake);
    }

    /// Blocks the calling thread until I/O comes, or somebody can run.
    fn wait_for_io(&self) {
        let scheduler = &self.shared().scheduler;
        loop {
            let mut come = self.io.borrow_mut();
            scheduler.wait_for_io(PATIENCE, &mut come);
            if !come.is_empty() || scheduler.has_work() {
                return;
            }
            drop(come);
            events::waits_for_real_io(self.shared().id, scheduler.reactor.io.waits());
        }
    }

    /// Sends a message after so many ticks:
    /// [`send_after_ticks`](crate::send_after_ticks) for the code that ticks.
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::{Runtime, Tick};
    ///
    /// let runtime = Runtime::builder().manual();
    /// let inbox = runtime.inbox::<u32>();
    /// runtime.send_after_ticks(3, &inbox.address(), 7);
    /// assert_eq!((runtime.tick(), runtime.tick()), (Tick::Counted, Tick::Counted));
    /// assert_eq!(inbox.try_recv(), None);
    /// assert_eq!(runtime.tick(), Tick::Idle);
    /// assert_eq!(inbox.try_recv(), Some(7));
    /// ```
    pub fn send_after_ticks<M: Send + 'static>(
        &self,
        ticks: u64,
        to: &impl Target<M>,
        message: M,
    ) -> Timer {
        send_once(self.shared(), Measure::Ticks, ticks.into(), to, message)
    }

    /// Sends a clone of a message at every so manieth tick:
    /// [`send_interval_ticks`](crate::send_interval_ticks) for the code that ticks.
    ///
    /// # Panics
    /// If the period is zero.
    pub fn send_interval_ticks<M: Clone + Send + 'static>(
        &self,
        period: u64,
        to: &impl Target<M>,
        message: M,
    ) -> Timer {
        send_every(self.shared(), Measure::Ticks, period.into(), to, message)
    }

    /// Whether a timer counts ticks.
    pub(crate) fn counts_ticks(&self) -> bool {
        self.shared().scheduler.reactor.counts_ticks()
    }

    /// Runs actors until nobody can run. Time does not pass, nor do ticks beyond those in
    /// which someone has run.
    pub fn run_until_idle(&self) {
        while self.tick() == Tick::Ran {}
    }

    /// Lets time pass: moves the clock from deadline to deadline, and runs until
    /// idle at each.
    ///
    /// # Panics
    /// If the clock can't count so far.
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::{Runtime, prelude::*};
    ///
    /// let runtime = Runtime::builder().manual();
    /// let inbox = runtime.inbox::<u32>();
    /// let to = inbox.address();
    /// runtime.spawn(async move {
    ///     for n in 1.. {
    ///         sleep(Duration::from_secs(10)).await;
    ///         to.send(n);
    ///     }
    /// });
    /// runtime.advance(Duration::from_secs(25));
    /// assert_eq!((inbox.try_recv(), inbox.try_recv(), inbox.try_recv()), (Some(1), Some(2), None));
    /// ```
    pub fn advance(&self, span: Duration) {
        // What is beyond the clock's end is never.
        let Some(end) = self.now().checked_add(span) else {
            panic!("uproar: the virtual clock can't advance by {span:?}; use a shorter span");
        };
        loop {
            self.run_until_idle();
            match self.tick() {
                Tick::Waits(at) if at <= end => {
                    self.shared().scheduler.reactor.clock.advance_to(at)
                }
                Tick::Ran => {}
                _ => break,
            }
        }
        self.shared().scheduler.reactor.clock.advance_to(end);
        self.run_until_idle();
    }

    /// The time on the virtual clock.
    pub fn now(&self) -> Instant {
        self.shared().scheduler.reactor.clock.now()
    }

    /// Runs a future as an actor until it ends, and others as the seed will. When
    /// nobody can run, time jumps to the next deadline; but while somebody waits for real
    /// I/O, it blocks until that comes, and time stands still, unless the builder says
    /// [`jump_over_io`](crate::Builder::jump_over_io).
    ///
    /// The future need not be `Send`, and may borrow.
    ///
    /// # Panics
    /// With the panic of the future, if it panics. With a report of who waits for
    /// what, when nobody can run and no timer is pending.
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::{Runtime, prelude::*};
    ///
    /// let runtime = Runtime::builder().seed(1).manual();
    /// let mut log = Vec::new();
    /// let hours = runtime.block_on(async {
    ///     log.push("to bed");
    ///     sleep(Duration::from_secs(8 * 3600)).await;
    ///     log.push("good morning");
    ///     8
    /// });
    /// assert_eq!((hours, log.len()), (8, 2));
    /// ```
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        assert!(
            self.rng.try_borrow_mut().is_ok(),
            "uproar: `block_on` was called by an actor of the same runtime; use `.await`"
        );
        let mut output = None;
        let mut deadlock = None;
        {
            let slot = &mut output;
            let future = async move {
                *slot = Some(Caught(future).await);
            };
            let options = Options {
                placement: Placement::Pinned,
                ..self.shared().default_options()
            };
            // SAFETY: pinned, and ticked by this thread only: `ManualRuntime` is not
            // `Sync`, and only it ticks. What the future borrows outlives `finish`,
            // which sees it dropped.
            let process = unsafe { self.shared().spawn(future, options) }.process;
            let finish = Finish {
                runtime: self,
                process: &process,
            };
            while !Finish::is_over(&process) {
                match self.tick() {
                    Tick::Ran | Tick::Counted => {}
                    Tick::WaitsForIo => self.wait_for_io(),
                    Tick::Waits(_) if self.io_holds_time() => self.wait_for_io(),
                    Tick::Waits(at) => self.shared().scheduler.reactor.clock.advance_to(at),
                    Tick::Idle => {
                        deadlock = Some(self.shared().waiting_report());
                        break;
                    }
                }
            }
            drop(finish);
        }
        match (output, deadlock) {
            (Some(Ok(output)), _) => output,
            (Some(Err(payload)), _) => std::panic::resume_unwind(payload),
            (None, Some(report)) => panic!("uproar: {report}"),
            (None, None) => panic!(
                "uproar: the future of `block_on` was ended by a signal, or the runtime was shut down"
            ),
        }
    }

    /// Whether time must not jump, since real I/O is waited for.
    fn io_holds_time(&self) -> bool {
        let shared = self.shared();
        !shared.config.jump_over_io && shared.scheduler.reactor.io.waits() > 0
    }

    /// Shuts the runtime down, as [`Handle::shutdown`] does, by running its actors.
    ///
    /// Of the grace, time passes while nobody can run; also when an actor goes on and
    /// on without ever waiting.
    pub fn shutdown(&self, grace: Duration) -> ShutdownReport {
        let shared = self.shared();
        shared.begin_shutdown(grace);
        loop {
            self.run_for_a_while();
            if shared.phase() == Phase::Ended {
                break;
            }
            let Some(at) = shared.watch_shutdown() else {
                break;
            };
            let next = shared.scheduler.reactor.next().map_or(at, |t| t.min(at));
            shared.scheduler.reactor.clock.advance_to(next);
        }
        shared.report()
    }

    /// Runs until nobody can run, or longer than it takes all to stop.
    fn run_for_a_while(&self) {
        let slices = 100_000 + 16 * self.shared().live();
        for _ in 0..slices {
            if self.tick() != Tick::Ran {
                break;
            }
        }
    }
}

/// Sees the future of a `block_on` dropped, however that ends.
struct Finish<'a> {
    runtime: &'a ManualRuntime,
    process: &'a Process,
}

impl Finish<'_> {
    fn is_over(process: &Process) -> bool {
        process.state() == crate::process::State::Exited
    }
}

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        if !Finish::is_over(self.process) {
            self.process.doom();
            self.runtime
                .shared()
                .signal(self.process, crate::signals::Signal::Kill);
            while !Finish::is_over(self.process) && self.runtime.tick() == Tick::Ran {}
        }
    }
}

impl Deref for ManualRuntime {
    type Target = Handle;

    fn deref(&self) -> &Handle {
        &self.handle
    }
}

impl Drop for ManualRuntime {
    fn drop(&mut self) {
        self.shutdown(Duration::ZERO);
    }
}
