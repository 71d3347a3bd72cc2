use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use super::{Clock, Due, Key, Reactor};
use crate::observe::events;
use crate::process::{ProcessRef, State};
use crate::runtime;
use crate::scheduler::context;

/// The time on the clock of the runtime whose actor calls, or on the machine's
/// clock outside of actors.
///
/// In a manual runtime the clock is virtual: it stands still while actors run.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// let runtime = uproar::Runtime::builder().manual();
/// runtime.block_on(async {
///     let start = now();
///     sleep(Duration::from_secs(86_400)).await;
///     assert_eq!(now() - start, Duration::from_secs(86_400));
/// });
/// ```
pub fn now() -> Instant {
    match context::here() {
        Some((scheduler, _)) => scheduler.reactor.clock.now(),
        None => Instant::now(),
    }
}

/// Calls `f` with the reactor of a runtime; with `None` if that is gone.
///
/// The runtime is told by its number, so that nobody has to hold its reactor: a count
/// that all workers change would cost more than a deadline.
pub(crate) fn with_reactor<R>(runtime: u32, f: impl FnOnce(Option<&Reactor>) -> R) -> R {
    match context::here() {
        Some((scheduler, _)) if scheduler.reactor.runtime == runtime => f(Some(&scheduler.reactor)),
        _ => f(runtime::reactor_of(runtime).as_deref()),
    }
}

/// The number of the runtime whose actor calls; zero outside of actors.
pub(crate) fn here() -> u32 {
    context::here().map_or(0, |(scheduler, _)| scheduler.reactor.runtime)
}

/// One deadline of one future. Dropping it leaves nothing behind.
pub(crate) struct Alarm {
    /// `None` is never, if it is not `Armed::Later`.
    at: Option<Instant>,
    armed: Armed,
    /// The runtime by whose clock it goes; zero until it is known.
    runtime: u32,
}

enum Armed {
    No,
    /// So long after the first poll, by the clock of whoever polls.
    Later(Box<Duration>),
    /// On the runtime's wheel.
    Wheel(Key),
    /// Outside of actors, in real time: whoever waits there is not to depend on workers
    /// that may be stuck, and its waker is none of ours.
    Outside(Box<async_io::Timer>),
}

// Every actor that sleeps has room for one.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Alarm>() <= 40);

impl Alarm {
    /// So long from now. Outside of actors, where it is not known by which clock that is,
    /// it counts from the first poll.
    pub(crate) fn after(span: Duration) -> Alarm {
        match context::here() {
            Some((scheduler, _)) => Alarm::at(scheduler.reactor.clock.now().checked_add(span)),
            None => Alarm {
                at: None,
                armed: Armed::Later(Box::new(span)),
                runtime: 0,
            },
        }
    }

    /// By the clock of whoever polls it. `None` is never.
    pub(crate) fn at(at: Option<Instant>) -> Alarm {
        Alarm::on(0, at)
    }

    /// By the clock of a runtime.
    pub(crate) fn on(runtime: u32, at: Option<Instant>) -> Alarm {
        Alarm {
            at,
            armed: Armed::No,
            runtime,
        }
    }

    /// Sets another time. What was armed is taken back.
    pub(crate) fn reset(&mut self, at: Option<Instant>) {
        self.disarm();
        self.at = at;
    }

    /// Its time; `None` never.
    pub(crate) fn deadline(&mut self) -> Option<Instant> {
        if let Armed::Later(span) = &self.armed {
            *self = Alarm::on(self.runtime, self.now().checked_add(**span));
        }
        self.at
    }

    fn now(&self) -> Instant {
        if self.runtime == 0 {
            return now();
        }
        with_reactor(self.runtime, |reactor| {
            reactor.map_or_else(now, |reactor| reactor.clock.now())
        })
    }

    /// Whether its time has come.
    pub(crate) fn is_due(&self) -> bool {
        self.at.is_some_and(|at| self.now() >= at)
    }

    /// Whether its time has come; if not, wakes the task when it has.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(at) = self.deadline() else {
            return Poll::Pending;
        };
        let now = self.now();
        if now >= at {
            return Poll::Ready(());
        }
        self.arm_at(at, now, cx);
        Poll::Pending
    }

    /// Wakes the task when its time has come.
    pub(crate) fn arm(&mut self, cx: &mut Context<'_>) {
        if let Some(at) = self.deadline() {
            let now = self.now();
            self.arm_at(at, now, cx);
        }
    }

    fn arm_at(&mut self, at: Instant, now: Instant, cx: &mut Context<'_>) {
        context::set_waits_for(State::WaitingTime);
        if self.runtime == 0 {
            self.runtime = here();
        }
        match &mut self.armed {
            Armed::No | Armed::Later(_) => {}
            Armed::Wheel(key) => {
                let key = *key;
                with_reactor(self.runtime, |reactor| rearm(reactor, key, cx.waker()));
                return;
            }
            Armed::Outside(timer) => {
                if Pin::new(timer).poll(cx).is_ready() {
                    cx.waker().wake_by_ref();
                }
                return;
            }
        }
        let key = with_reactor(self.runtime, |reactor| {
            let reactor = reactor.filter(|reactor| {
                matches!(reactor.clock, Clock::Virtual(_)) || here() == reactor.runtime
            });
            reactor.map(|reactor| reactor.start(Some(at), now, due(cx.waker())).ok())
        });
        self.armed = match key {
            Some(Some(key)) => Armed::Wheel(key),
            // The runtime has ended, and the time does not come.
            Some(None) => Armed::No,
            None => {
                let mut timer = Box::new(async_io::Timer::at(at));
                if Pin::new(&mut *timer).poll(cx).is_ready() {
                    cx.waker().wake_by_ref();
                }
                Armed::Outside(timer)
            }
        };
    }

    fn disarm(&mut self) {
        if let Armed::Wheel(key) = std::mem::replace(&mut self.armed, Armed::No) {
            let due = with_reactor(self.runtime, |reactor| reactor?.cancel(key));
            if due.is_some() {
                events::deadline_cancelled();
            }
            drop(due);
        }
    }
}

fn rearm(reactor: Option<&Reactor>, key: Key, waker: &Waker) {
    let Some(reactor) = reactor else { return };
    // It has fired for the waker before: this one is due as well.
    if !reactor.wakes(key, waker) && !reactor.redirect(key, due(waker)) {
        waker.wake_by_ref();
    }
}

/// Who is to be woken.
fn due(waker: &Waker) -> Due {
    match context::try_current() {
        Some(process) if process.is_own_waker(waker) => Due::Actor(ProcessRef::new(process)),
        _ => Due::Foreign(Box::new(waker.clone())),
    }
}

impl Drop for Alarm {
    #[inline]
    fn drop(&mut self) {
        if !matches!(self.armed, Armed::No) {
            self.disarm();
        }
    }
}
