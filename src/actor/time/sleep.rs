use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use crate::reactor::Alarm;
use crate::scheduler::context;

/// Waits for a span of time on the runtime's clock, counted from this call, or outside of
/// actors from the first poll. Never ends early; how late it ends depends on [`timer_resolution`] and on how busy the workers are.
///
/// A span of zero is over at once, one beyond what an `Instant` can hold never ends. To be
/// sent a message instead, use [`send_after`](crate::send_after); for something at a fixed
/// rate, [`interval`](crate::interval).
///
/// [`timer_resolution`]: crate::Builder::timer_resolution
///
/// # Cancel safety
/// Dropping it takes the timer back.
///
/// # Panics
/// When polled outside an actor.
///
/// Source: R38; Erlang's `timer:sleep`.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() {
///     let start = now();
///     sleep(Duration::from_millis(5)).await;
///     assert!(now() - start >= Duration::from_millis(5));
/// }
/// ```
pub fn sleep(span: Duration) -> Sleep {
    Sleep {
        alarm: Alarm::after(span),
    }
}

/// Waits until a moment of the runtime's clock. Never ends early.
///
/// For what is to happen at a fixed rate, whatever the work in between takes.
///
/// # Cancel safety, Panics
/// As for [`sleep`].
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// let runtime = uproar::Runtime::builder().manual();
/// runtime.block_on(async {
///     let start = now();
///     for n in 1..=3 {
///         sleep(Duration::from_millis(4)).await;                      // some work
///         sleep_until(start + n * Duration::from_millis(10)).await;
///     }
///     assert_eq!(now() - start, Duration::from_millis(30));
/// });
/// ```
pub fn sleep_until(moment: Instant) -> Sleep {
    Sleep {
        alarm: Alarm::at(Some(moment)),
    }
}

/// The future of [`sleep`] and [`sleep_until`].
#[must_use = "a sleep does nothing until it is awaited"]
pub struct Sleep {
    alarm: Alarm,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        context::current("sleep", "`std::thread::sleep`");
        // One that is over at once lets others run as well, now and then.
        if !context::spend(1) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.alarm.poll(cx)
    }
}
