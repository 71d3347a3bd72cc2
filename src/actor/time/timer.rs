use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::super::address::{Address, Recipient};
use super::super::traits::Receives;
use crate::mailbox::NodeBox;
use crate::process::{ExitReason, Pid, ProcessRef};
use crate::reactor::{Load, Measure, MessageTimer};
use crate::runtime::Shared;
use crate::scheduler::context;

/// Where a timer's messages go: an [`Address`], a [`Recipient`] or a [`Pid`].
///
/// An address takes what its actor receives, a pid anything. Sealed: there are no others.
#[diagnostic::on_unimplemented(
    message = "`{Self}` never receives a `{M}`",
    label = "a timer can't send that here"
)]
pub trait Target<M>: sealed::Sealed {
    #[doc(hidden)]
    fn find(&self, table: Table<'_>) -> Option<Found>;
}

mod sealed {
    pub trait Sealed {}
}

/// Where pids are looked up.
#[doc(hidden)]
pub struct Table<'a>(&'a Shared);

/// The target of a timer.
#[doc(hidden)]
pub struct Found(ProcessRef);

impl<P> sealed::Sealed for Address<P> {}
impl<M> sealed::Sealed for Recipient<M> {}
impl sealed::Sealed for Pid {}

impl<M, P: Receives<M>> Target<M> for Address<P> {
    fn find(&self, _: Table<'_>) -> Option<Found> {
        Some(Found(self.process().clone()))
    }
}

impl<M> Target<M> for Recipient<M> {
    fn find(&self, _: Table<'_>) -> Option<Found> {
        Some(Found(self.process().clone()))
    }
}

impl<M> Target<M> for Pid {
    fn find(&self, table: Table<'_>) -> Option<Found> {
        table.0.find(*self).map(Found)
    }
}

/// A message that has been set to be sent later. From [`send_after`] and
/// [`send_interval`].
///
/// Cheap to clone. Dropping it does not cancel it.
#[derive(Clone)]
pub struct Timer {
    /// `None`: the target was dead when it was started.
    inner: Option<Arc<MessageTimer>>,
}

impl Timer {
    /// Takes the message back. `Some` with the time that was left, if that has prevented
    /// it from being sent, or for an interval, from being sent again; `None` if it has been
    /// sent or cancelled already, or its target or its runtime has ended.
    ///
    /// When it has returned, nothing is sent any more. A message that has been sent and
    /// not received stays in the target's mailbox, except in the caller's own: an actor that
    /// cancels a timer to itself does not receive anything of it after this, although
    /// `None` says that it had been sent.
    ///
    /// From anywhere, as often as you like. A timer that counts ticks has no time left to
    /// tell: zero.
    ///
    /// Source: R39; Erlang's `erlang:cancel_timer`, which leaves the message.
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::prelude::*;
    ///
    /// #[uproar::main]
    /// async fn main() {
    ///     let timer = send_after(Duration::from_secs(60), &self_pid(), "too late");
    ///     let left = timer.cancel().expect("a minute has not passed");
    ///     assert!(left <= Duration::from_secs(60));
    ///     assert_eq!(timer.cancel(), None);
    /// }
    /// ```
    pub fn cancel(&self) -> Option<Duration> {
        self.inner.as_ref()?.cancel()
    }
}

impl fmt::Debug for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pending = self.inner.as_ref().is_some_and(|timer| timer.is_pending());
        f.debug_struct("Timer").field("pending", &pending).finish()
    }
}

/// Sends a message when a time has passed, on the runtime's clock.
///
/// The message is put into the mailbox at its time, not early, and without anything that
/// would have to run for it. A delay of zero does not send at once: it goes the same way,
/// and arrives soon. The timer goes with its target: when that ends, the message is
/// dropped. A target that is dead already, or unknown, drops it at once; that is no dead
/// letter.
///
/// For many messages, use [`send_interval`]; to wait, [`sleep`](crate::sleep).
///
/// # Ordering
/// Nothing is promised between messages of timers and others, nor between timers.
///
/// # Panics
/// Outside an actor; use [`Handle::send_after`](crate::Handle::send_after) there.
///
/// Source: R38 to R41; Erlang's `erlang:send_after`.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// struct Expired;
///
/// #[actor]
/// async fn session() {
///     let me = self_address::<Session>();
///     let timer = send_after(Duration::from_millis(5), &me, Expired);
///     #[receive]
///     match receive().await {
///         Expired => assert_eq!(timer.cancel(), None),
///     }
/// }
///
/// assert_eq!(uproar::run(session()), ExitReason::Normal);
/// ```
pub fn send_after<M: Send + 'static>(delay: Duration, to: &impl Target<M>, message: M) -> Timer {
    here("send_after", "`Handle::send_after`", |shared| {
        once(shared, Measure::Time, delay.as_nanos(), to, message)
    })
}

/// Sends a clone of a message at each tick of a fixed rate, on the runtime's clock.
///
/// The first is sent after one period. The schedule is fixed; ticks for which the worker
/// that sends comes too late are skipped, so there is never a burst. The message is cloned
/// by a worker, right before it is sent. If its `clone` panics, the interval ends, and an
/// event says so.
///
/// It goes on until [`Timer::cancel`] or the end of its target.
///
/// # Panics
/// If the period is zero. Outside an actor; use
/// [`Handle::send_interval`](crate::Handle::send_interval) there.
///
/// Source: R39, R40; Erlang's `timer:send_interval`.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// let runtime = uproar::Runtime::builder().manual();
/// runtime.block_on(async {
///     let start = now();
///     let timer = send_interval(Duration::from_secs(1), &self_pid(), "tick");
///     for n in 1..=3 {
///         let Typed("tick") = receive::<Typed<&str>>().await else { panic!() };
///         assert_eq!(now(), start + n * Duration::from_secs(1));
///     }
///     assert_eq!(timer.cancel(), Some(Duration::from_secs(1)));
/// });
/// ```
pub fn send_interval<M: Clone + Send + 'static>(
    period: Duration,
    to: &impl Target<M>,
    message: M,
) -> Timer {
    here("send_interval", "`Handle::send_interval`", |shared| {
        every(shared, Measure::Time, period.as_nanos(), to, message)
    })
}

/// [`send_after`], counting ticks of a manual runtime instead of time.
///
/// One tick is one call of [`ManualRuntime::tick`](crate::ManualRuntime::tick), whoever
/// makes it. The message is sent at the beginning of the tick that is so many from now;
/// zero is the next one as well.
///
/// # Panics
/// Outside an actor; use
/// [`ManualRuntime::send_after_ticks`](crate::ManualRuntime::send_after_ticks) there.
/// In a runtime on threads, which does not tick.
pub fn send_after_ticks<M: Send + 'static>(ticks: u64, to: &impl Target<M>, message: M) -> Timer {
    let instead = "`ManualRuntime::send_after_ticks`";
    here("send_after_ticks", instead, |shared| {
        once(shared, Measure::Ticks, ticks.into(), to, message)
    })
}

/// [`send_interval`], counting ticks of a manual runtime instead of time.
///
/// # Panics
/// If the period is zero. As [`send_after_ticks`] does.
pub fn send_interval_ticks<M: Clone + Send + 'static>(
    period: u64,
    to: &impl Target<M>,
    message: M,
) -> Timer {
    let instead = "`ManualRuntime::send_interval_ticks`";
    here("send_interval_ticks", instead, |shared| {
        every(shared, Measure::Ticks, period.into(), to, message)
    })
}

/// Calls `f` with the runtime of the calling actor.
fn here<R>(call: &str, instead: &str, f: impl FnOnce(&Shared) -> R) -> R {
    let caller = context::current(call, instead);
    // SAFETY: [P3] the caller's code runs, so its task is unfinished.
    f(unsafe { Shared::of(caller) })
}

/// Starts a timer for one message.
pub(crate) fn once<M: Send + 'static>(
    shared: &Shared,
    measure: Measure,
    after: u128,
    to: &impl Target<M>,
    message: M,
) -> Timer {
    start(shared, measure, after, to, message, |message| {
        Load::Once(NodeBox::markable(message))
    })
}

/// Starts a timer for an interval.
pub(crate) fn every<M: Clone + Send + 'static>(
    shared: &Shared,
    measure: Measure,
    period: u128,
    to: &impl Target<M>,
    message: M,
) -> Timer {
    assert!(
        period > 0,
        "uproar: `send_interval` needs a period; use a span above zero"
    );
    start(shared, measure, period, to, message, |message| {
        Load::Every {
            period,
            message: Box::new(message),
        }
    })
}

fn start<M: Send + 'static>(
    shared: &Shared,
    measure: Measure,
    after: u128,
    to: &impl Target<M>,
    message: M,
    load: impl FnOnce(M) -> Load,
) -> Timer {
    let reactor = &shared.scheduler.reactor;
    assert!(
        measure == Measure::Time || reactor.has_ticks(),
        "uproar: a runtime on threads does not tick; use `send_after` or `send_interval`"
    );
    let target = to.find(Table(shared)).filter(|Found(process)| {
        process.is_alive()
            && !(process.is_secluded() && context::is_outsider(process.pid()))
            && !context::is_inert()
    });
    let Some(Found(target)) = target else {
        let _ending = context::Ending::enter(&ExitReason::NoProcess);
        drop(message);
        return Timer { inner: None };
    };
    Timer {
        inner: Some(reactor.send_later(&target, measure, after, load(message))),
    }
}
