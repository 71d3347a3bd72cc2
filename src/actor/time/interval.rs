use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures::Stream;
use futures::stream::FusedStream;

use crate::reactor::{self, Alarm};
use crate::scheduler::context;

/// A stream that ticks at a fixed rate on the runtime's clock.
///
/// The first tick comes after one period. The schedule is fixed when this is called, or
/// outside of actors when it is polled first: work between two ticks does not shift it. Ticks that have been missed meanwhile are
/// skipped, so they never come in a burst. An item is the time for which its tick was set.
///
/// To be sent a message at each tick, use [`send_interval`](crate::send_interval).
///
/// # Cancel safety
/// Dropping `tick` or `next` loses no tick.
///
/// # Panics
/// If the period is zero. When polled outside an actor.
///
/// Source: R38, R40.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// let runtime = uproar::Runtime::builder().manual();
/// runtime.block_on(async {
///     let start = now();
///     let period = Duration::from_secs(10);
///     let mut ticks = interval(period);
///     assert_eq!(ticks.tick().await, start + period);
///     sleep(Duration::from_secs(25)).await;                 // misses one, is late for another
///     assert_eq!(ticks.tick().await, start + 2 * period);
///     assert_eq!(ticks.tick().await, start + 4 * period);
///     assert_eq!(now(), start + 4 * period);
/// });
/// ```
pub fn interval(period: Duration) -> Interval {
    assert!(
        !period.is_zero(),
        "uproar: `interval` needs a period; use a span above zero, or `yield_now` in a loop"
    );
    Interval {
        period,
        alarm: Alarm::after(period),
    }
}

/// The stream of [`interval`]. It does not end.
#[must_use = "an interval does nothing until it is polled"]
pub struct Interval {
    period: Duration,
    alarm: Alarm,
}

impl Interval {
    /// Waits for the next tick: the item of the stream.
    ///
    /// # Cancel safety
    /// Dropping it loses no tick. The deadline stays the interval's, for the next call, and
    /// goes with it.
    pub async fn tick(&mut self) -> Instant {
        std::future::poll_fn(|cx| self.poll_tick(cx)).await
    }

    /// The time between two ticks.
    pub fn period(&self) -> Duration {
        self.period
    }

    fn poll_tick(&mut self, cx: &mut Context<'_>) -> Poll<Instant> {
        context::current("interval", "a timer of the executor there");
        if !context::spend(1) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        std::task::ready!(self.alarm.poll(cx));
        let at = self.alarm.deadline().expect("what never comes is not due");
        self.alarm.reset(after(at, self.period, reactor::now()));
        Poll::Ready(at)
    }
}

/// The first tick after `now` on the schedule that `at` is on.
fn after(at: Instant, period: Duration, now: Instant) -> Option<Instant> {
    let late = now.saturating_duration_since(at);
    let missed = late.as_nanos() / period.as_nanos();
    // The span since the last tick of the schedule.
    let since = late.as_nanos() - missed * period.as_nanos();
    let since = Duration::new(
        u64::try_from(since / 1_000_000_000).ok()?,
        (since % 1_000_000_000) as u32,
    );
    now.max(at).checked_sub(since)?.checked_add(period)
}

impl Stream for Interval {
    type Item = Instant;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Instant>> {
        self.poll_tick(cx).map(Some)
    }
}

impl FusedStream for Interval {
    fn is_terminated(&self) -> bool {
        false
    }
}

#[cfg(all(test, not(uproar_loom)))]
mod tests {
    use super::*;

    #[test]
    fn ticks_stay_on_the_schedule() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let period = Duration::from_millis(10);
        for (now, next) in [
            (10, 20),
            (11, 20),
            (19, 20),
            (20, 30),
            (25, 30),
            (1009, 1010),
        ] {
            assert_eq!(after(at(10), period, at(now)), Some(at(next)), "at {now}");
        }
        assert_eq!(after(at(10), Duration::MAX, at(11)), None);
        let ns = Duration::from_nanos(1);
        assert_eq!(after(start, ns, at(5000)), Some(at(5000) + ns));
    }
}
