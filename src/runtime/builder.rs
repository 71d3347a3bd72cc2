use std::io;
use std::time::Duration;

use super::affinity::{self, Affinity};
use super::manual::ManualRuntime;
use super::run::{Runtime, run_with};
use super::shared::Config;
use crate::actor::{Actor, Outcome};
use crate::mailbox::Mailbox;
use crate::process::ExitReason;
use crate::scheduler::LanePlan;

/// How a runtime is made. From [`Runtime::builder`].
///
/// # Examples
///
/// ```
/// use uproar::{Runtime, prelude::*};
///
/// let reason = Runtime::builder().workers(2).run(async {
///     yield_now().await;
/// });
/// assert_eq!(reason, ExitReason::Normal);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing before `run`, `start` or `manual`"]
pub struct Builder {
    workers: Option<usize>,
    config: Config,
}

impl Builder {
    pub(super) fn new() -> Builder {
        Builder {
            workers: None,
            config: Config {
                workers: 0,
                reductions: 128,
                mailbox: Mailbox::unbounded(),
                mailbox_alarm: u32::MAX,
                seed: 0,
                manual: false,
                exit_when_idle: false,
                stack_size: None,
                timer_resolution: Duration::from_millis(1),
                lanes: LanePlan {
                    most: 512,
                    idle: Duration::from_secs(10),
                },
                slice_alarm: Duration::from_millis(100),
                affinity: Affinity::None,
                jump_over_io: false,
            },
        }
    }

    /// The number of workers.
    ///
    /// By default one less than the parallelism that the machine offers this
    /// process, by its CPU mask and its quota, at least one; in a manual runtime two.
    ///
    /// # Panics
    /// If it is zero.
    pub fn workers(mut self, workers: usize) -> Builder {
        assert!(
            workers > 0,
            "uproar: a runtime needs a worker; use `.workers(1)` or more"
        );
        self.workers = Some(workers);
        self
    }

    /// The reductions of a slice: after so many receives, sends and turns of loops an
    /// actor lets others run. 128 by default.
    ///
    /// # Panics
    /// If it is zero.
    pub fn reductions(mut self, reductions: u32) -> Builder {
        assert!(
            reductions > 0,
            "uproar: a slice needs a reduction; use `.reductions(1)` or more"
        );
        self.config.reductions = reductions;
        self
    }

    /// The mailbox of actors that don't say. Unbounded by default.
    pub fn mailbox(mut self, mailbox: Mailbox) -> Builder {
        self.config.mailbox = mailbox;
        self
    }

    /// Warns of mailboxes with more than so many messages. Off by default.
    ///
    /// The warning is a `tracing` event (target `uproar::mailbox`, level warn) that names the
    /// actor and how long its mailbox is. It comes once, and again when the mailbox has been
    /// down to half of that and grows once more.
    ///
    /// Sending costs nothing for it. An actor's mailbox is looked at when it takes in what has
    /// been sent, and at the end of its slice; that of an actor which takes in nothing, because
    /// it waits for something other than a message or is stuck in its code, and of an
    /// [`Inbox`](crate::Inbox), about once a second while any worker is awake. In a manual
    /// runtime only the first is done.
    ///
    /// # Panics
    /// If it is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::{Runtime, prelude::*};
    ///
    /// let reason = Runtime::builder().mailbox_alarm(100_000).run(async {
    ///     // .. a warning tells of actors that can't keep up
    /// });
    /// assert_eq!(reason, ExitReason::Normal);
    /// ```
    pub fn mailbox_alarm(mut self, messages: usize) -> Builder {
        assert!(
            messages > 0,
            "uproar: a mailbox alarm needs a length; use `.mailbox_alarm(1)` or more"
        );
        self.config.mailbox_alarm = u32::try_from(messages).unwrap_or(u32::MAX);
        self
    }

    /// The seed of all scheduling decisions of a manual runtime. Zero by default.
    ///
    /// Runtimes on threads make them as threads do, and have no use for it.
    pub fn seed(mut self, seed: u64) -> Builder {
        self.config.seed = seed;
        self
    }

    /// The stack of each worker thread, in bytes. By default what std gives threads.
    ///
    /// Worker 0 of [`run`](Self::run) is the calling thread and has the stack it has.
    pub fn stack_size(mut self, bytes: usize) -> Builder {
        self.config.stack_size = Some(bytes);
        self
    }

    /// The CPUs that workers and lanes are bound to when they start. By default none: the
    /// operating system moves threads as it sees fit.
    ///
    /// Worker 0 of [`run`](Self::run) is the calling thread, which is as it was when `run`
    /// returns. Threads that actors start inherit the binding, on Linux. What came of it is
    /// in [`stats`](crate::Handle::stats); what this machine can do is in
    /// [`Runtime::capabilities`].
    ///
    /// # Panics
    /// If it is a `Fixed` without a CPU.
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::{Affinity, Runtime, prelude::*};
    ///
    /// let bound = Runtime::builder().workers(2).affinity(Affinity::BestEffort);
    /// assert_eq!(bound.run(async {}), ExitReason::Normal);
    /// ```
    pub fn affinity(mut self, affinity: Affinity) -> Builder {
        assert!(
            affinity != Affinity::Fixed(Vec::new()),
            "uproar: a fixed affinity needs a CPU; use `Affinity::Fixed(vec![0])` or more of them"
        );
        self.config.affinity = affinity;
        self
    }

    /// The lanes that blocking actors share: at most so many run at the same time, on as
    /// many threads. 512 by default.
    ///
    /// Lanes are started when they are needed. When all run an actor, others wait in line,
    /// which [`stats`](crate::Handle::stats) shows; when that lasts for a second, a `tracing`
    /// event says so. [Dedicated](crate::Spawn::dedicated) actors have a thread beside them.
    ///
    /// # Panics
    /// If it is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::{Runtime, prelude::*};
    ///
    /// let reason = Runtime::builder().workers(1).blocking_threads(2).run(async {
    ///     let me = self_address::<Anything>();
    ///     for n in 0..4u32 {
    ///         let me = me.clone();
    ///         spawn_blocked(async move {
    ///             std::thread::sleep(Duration::from_millis(5));       // two at a time
    ///             me.send(n);
    ///         });
    ///     }
    ///     for _ in 0..4 {
    ///         let Typed(_) = receive::<Typed<u32>>().await;
    ///     }
    /// });
    /// assert_eq!(reason, ExitReason::Normal);
    /// ```
    pub fn blocking_threads(mut self, most: usize) -> Builder {
        assert!(
            most > 0,
            "uproar: blocking actors need a lane; use `.blocking_threads(1)` or more"
        );
        self.config.lanes.most = most;
        self
    }

    /// How long a lane stays without an actor before its thread ends. Ten seconds by
    /// default.
    pub fn blocking_idle(mut self, idle: Duration) -> Builder {
        self.config.lanes.idle = idle;
        self
    }

    /// How long an actor may hold its worker before a `tracing` event names it: once for a
    /// slice, at level warn, target `uproar::scheduler`. 100 ms by default.
    ///
    /// It is noticed a few milliseconds late, by the thread that watches the workers.
    /// Blocking actors hold none.
    pub fn slice_alarm(mut self, limit: Duration) -> Builder {
        self.config.slice_alarm = limit;
        self
    }

    /// How exact timers are: what is due within one such span fires together, at its end.
    /// A millisecond by default.
    ///
    /// Nothing fires early, whatever it is. A finer one makes what waits less late, by at
    /// most this span, and costs a wake-up of the reactor's thread for each span in which
    /// something is due. The virtual clock of a manual runtime is exact.
    ///
    /// # Panics
    /// If it is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::{Runtime, prelude::*};
    ///
    /// let coarse = Runtime::builder().timer_resolution(Duration::from_millis(10));
    /// let reason = coarse.run(async {
    ///     let start = now();
    ///     sleep(Duration::from_millis(1)).await;
    ///     assert!(now() - start >= Duration::from_millis(1));
    /// });
    /// assert_eq!(reason, ExitReason::Normal);
    /// ```
    pub fn timer_resolution(mut self, resolution: Duration) -> Builder {
        assert!(
            !resolution.is_zero(),
            "uproar: timers need a resolution; use `.timer_resolution(Duration::from_micros(1))` \
             or more"
        );
        self.config.timer_resolution = resolution;
        self
    }

    /// Lets the virtual clock of a manual runtime jump although somebody waits for real I/O.
    ///
    /// By default it does not: nobody can know that the I/O would not have come before the
    /// deadline. So a test that waits for I/O which never comes waits for ever, and says so
    /// in the log. With this the deadline wins; what has come by then is seen first.
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::{Runtime, net::UdpSocket, prelude::*};
    ///
    /// let runtime = Runtime::builder().jump_over_io(true).manual();
    /// let received = runtime.block_on(async {
    ///     let socket = UdpSocket::bind("127.0.0.1:0").await?;
    ///     let mut buffer = [0; 16];
    ///     let received = timeout(Duration::from_secs(3600), socket.recv(&mut buffer)).await;
    ///     std::io::Result::Ok(received.is_ok())
    /// });
    /// assert!(matches!(received, Ok(false)));
    /// ```
    pub fn jump_over_io(mut self, jump: bool) -> Builder {
        self.config.jump_over_io = jump;
        self
    }

    /// Ends [`run`](Self::run) with [`ExitReason::Error`] when all actors wait, no
    /// timer is pending, and so nothing can ever happen by itself.
    ///
    /// What other threads may still send can't be known: leave it off when they do.
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::{Runtime, prelude::*};
    ///
    /// let reason = Runtime::builder().exit_when_idle(true).run(async {
    ///     let _: Envelope = receive().await;        // nobody is there to send
    /// });
    /// assert!(reason.to_string().contains("deadlock: all actors wait"));
    /// ```
    pub fn exit_when_idle(mut self, exit: bool) -> Builder {
        self.config.exit_when_idle = exit;
        self
    }

    /// Runs an actor, and all that it spawns, until it ends; returns its exit reason.
    ///
    /// The calling thread becomes worker 0 and runs the main actor, which is pinned
    /// to it: its future need not be `Send`. When the main actor has ended, all
    /// others get the exit signal `Shutdown`, and are killed five seconds later if
    /// they have not ended. When `run` returns they are all gone.
    ///
    /// An error of the OS in starting threads is the returned reason.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::rc::Rc;
    /// use uproar::{Runtime, prelude::*};
    ///
    /// let not_send = Rc::new(5);
    /// let reason = Runtime::builder().workers(1).run(async move {
    ///     yield_now().await;
    ///     if *not_send == 5 { Err("five") } else { Ok(()) }
    /// });
    /// assert_eq!(reason, ExitReason::error("five"));
    /// ```
    pub fn run<A>(self, main: A) -> ExitReason
    where
        A: Actor,
        A::Future: 'static,
        A::Output: Outcome,
    {
        run_with(self.threaded(), main.into_future())
    }

    /// Starts a runtime in the background, all workers on threads of their own.
    ///
    /// Dropping the [`Runtime`] ends it. See there for an example.
    ///
    /// # Errors
    /// Those of the OS in starting threads.
    pub fn start(self) -> io::Result<Runtime> {
        Runtime::start(self.threaded())
    }

    /// Makes a runtime without threads: the caller ticks it. Deterministic, with a
    /// virtual clock. See [`ManualRuntime`] for an example.
    pub fn manual(self) -> ManualRuntime {
        let mut config = self.config;
        config.workers = self.workers.unwrap_or(2);
        config.manual = true;
        ManualRuntime::new(config)
    }

    fn threaded(self) -> Config {
        let mut config = self.config;
        config.workers = self.workers.unwrap_or_else(default_workers);
        config
    }
}

fn default_workers() -> usize {
    affinity::parallelism().saturating_sub(1).max(1)
}
