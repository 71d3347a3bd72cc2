use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use super::super::receive::Timeout;
use crate::reactor::Alarm;
use crate::scheduler::context;

/// Limits the time that a future has, on the runtime's clock, counted from this call,
/// or outside of actors from the first poll.
///
/// The future is polled first: if it is ready when the time is over, it wins; a limit of
/// zero polls it once. Receives and asks have a limit of their own,
/// [`Receive::timeout`](crate::Receive::timeout) and [`Ask::timeout`](crate::Ask::timeout),
/// which cost less.
///
/// # Errors
/// [`Timeout`], when the time is over and the future is not.
///
/// # Cancel safety
/// When the time is over, or this is dropped, the future is dropped: what that loses is
/// the future's affair. The timer is taken back.
///
/// # Panics
/// When polled outside an actor.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() -> Result<(), Timeout> {
///     let work = async {
///         yield_now().await;
///         6 * 7
///     };
///     assert_eq!(timeout(Duration::from_secs(5), work).await?, 42);
///
///     let never = std::future::pending::<()>();
///     assert_eq!(timeout(Duration::from_millis(1), never).await, Err(Timeout));
///     Ok(())
/// }
/// ```
pub fn timeout<F: Future>(limit: Duration, future: F) -> WithTimeout<F> {
    WithTimeout {
        alarm: Alarm::after(limit),
        future,
    }
}

/// The future of [`timeout`].
#[must_use = "a timeout does nothing until it is awaited"]
pub struct WithTimeout<F> {
    alarm: Alarm,
    future: F,
}

impl<F: Future> Future for WithTimeout<F> {
    type Output = Result<F::Output, Timeout>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        context::current("timeout", "a limit of the executor there");
        // SAFETY: `future` is pinned with `self`: it is not moved, nor is anything else
        // that is pinned. There is no `Drop` that could.
        let (alarm, future) = unsafe {
            let this = self.get_unchecked_mut();
            (&mut this.alarm, Pin::new_unchecked(&mut this.future))
        };
        if let Poll::Ready(output) = future.poll(cx) {
            return Poll::Ready(Ok(output));
        }
        alarm.poll(cx).map(|()| Err(Timeout))
    }
}
