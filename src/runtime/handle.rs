use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::inbox::Inbox;
use super::shutdown::ShutdownReport;
use super::{Phase, Shared};
use crate::actor::{Target, Timer, WorkerId, send_every, send_once};
use crate::observe::{ProcessInfo, RuntimeStats};
use crate::process::{ExitReason, Pid};
use crate::reactor::Measure;

/// A way into a runtime, from any thread. Cheap to clone.
///
/// It keeps the runtime's memory, not the runtime: after the end its calls are
/// inert: what is spawned is dropped, what is sent is a dead letter.
///
/// # Examples
///
/// ```
/// use uproar::{Runtime, prelude::*};
///
/// let runtime = Runtime::builder().workers(2).start().unwrap();
/// let handle = runtime.handle();
/// let answer = std::thread::spawn(move || {
///     let inbox = handle.inbox::<u32>();
///     let to = inbox.address();
///     handle.spawn(async move { to.send(42) });
///     inbox.recv_timeout(Duration::from_secs(10))
/// });
/// assert_eq!(answer.join().unwrap(), Ok(42));
/// ```
#[derive(Clone)]
pub struct Handle {
    pub(crate) shared: Arc<Shared>,
}

impl Handle {
    pub(super) fn new(shared: Arc<Shared>) -> Handle {
        Handle { shared }
    }

    /// A receiver for messages of type `M`, outside of actors. See [`Inbox`].
    pub fn inbox<M: Send + 'static>(&self) -> Inbox<M> {
        Inbox::new(&self.shared)
    }

    /// Sends a message to a bare pid: unchecked, of any type.
    ///
    /// A dead or unknown pid, or one of another runtime, drops and counts it.
    pub fn send<M: Send + 'static>(&self, to: impl Into<Pid>, message: M) {
        self.shared.send(to.into(), message);
    }

    /// Sends a message when a time has passed: [`send_after`](crate::send_after) for code
    /// outside of actors.
    ///
    /// While the runtime shuts down, and after that, the message is dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::{Runtime, prelude::*};
    ///
    /// let runtime = Runtime::builder().workers(1).start().unwrap();
    /// let inbox = runtime.inbox::<&str>();
    /// runtime.send_after(Duration::from_millis(5), &inbox.address(), "now");
    /// assert_eq!(inbox.recv_timeout(Duration::from_secs(10)), Ok("now"));
    /// ```
    pub fn send_after<M: Send + 'static>(
        &self,
        delay: Duration,
        to: &impl Target<M>,
        message: M,
    ) -> Timer {
        send_once(&self.shared, Measure::Time, delay.as_nanos(), to, message)
    }

    /// Sends a clone of a message at each tick of a fixed rate:
    /// [`send_interval`](crate::send_interval) for code outside of actors.
    ///
    /// # Panics
    /// If the period is zero.
    pub fn send_interval<M: Clone + Send + 'static>(
        &self,
        period: Duration,
        to: &impl Target<M>,
        message: M,
    ) -> Timer {
        send_every(&self.shared, Measure::Time, period.as_nanos(), to, message)
    }

    /// Sends an exit signal to an actor, as the free function
    /// [`send_exit`](crate::send_exit()) does. It comes from nobody: `<0.0.0>`.
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::{Runtime, prelude::*};
    ///
    /// let runtime = Runtime::builder().manual();
    /// let idle = runtime.spawn(std::future::pending::<()>());
    /// runtime.send_exit(&idle, ExitReason::Shutdown);
    /// runtime.run_until_idle();
    /// assert!(!idle.is_alive());
    /// ```
    pub fn send_exit(&self, to: impl Into<Pid>, reason: ExitReason) {
        self.shared
            .send_exit(self.shared.nobody(), to.into(), reason);
    }

    /// Kills an actor, as the free function [`kill`](crate::kill()) does.
    pub fn kill(&self, target: impl Into<Pid>) {
        self.shared.kill(target.into());
    }

    /// The actors that are alive, in no particular order.
    pub fn processes(&self) -> Vec<Pid> {
        self.shared.table.pids()
    }

    /// What is known of an actor; `None` when it is dead. See [`ProcessInfo`].
    pub fn process_info(&self, of: impl Into<Pid>) -> Option<ProcessInfo> {
        self.shared.process_info(of.into())
    }

    /// The workers.
    pub fn workers(&self) -> Vec<WorkerId> {
        (0..self.shared.config.workers).map(WorkerId::new).collect()
    }

    /// What the runtime has done and holds. Reading it changes nothing.
    ///
    /// See [`RuntimeStats`] for an example.
    pub fn stats(&self) -> RuntimeStats {
        crate::observe::stats(&self.shared)
    }

    /// Starts the counters of [`stats`](Self::stats) from zero again; what is a
    /// level, such as `live`, stays.
    pub fn reset_stats(&self) {
        crate::observe::reset(&self.shared);
    }

    /// Shuts the runtime down: every actor gets the exit signal `Shutdown`, and is
    /// killed if it has not ended when the grace is over.
    ///
    /// Idempotent, from anywhere. On a thread of its own it waits for the end. On
    /// one of the runtime's workers it can't: there it returns at once, with
    /// [`ShutdownReport::ended`] false. A manual runtime is shut down with
    /// [`ManualRuntime::shutdown`](crate::ManualRuntime::shutdown), which runs it.
    ///
    /// Source: R56, R57.
    pub fn shutdown(&self, grace: Duration) -> ShutdownReport {
        self.shared.begin_shutdown(grace);
        // A manual runtime goes on when it is ticked, which may be this thread's part.
        if !self.shared.is_here() && !self.shared.config.manual {
            self.shared.wait_for_end();
        }
        self.shared.report()
    }

    /// Whether the runtime has ended.
    pub fn has_ended(&self) -> bool {
        self.shared.phase() == Phase::Ended
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle")
            .field("runtime", &self.shared.id)
            .field("live", &self.shared.live())
            .finish()
    }
}
