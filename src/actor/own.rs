use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::address::Address;
use crate::process::Pid;
use crate::scheduler::context;

/// The calling actor's pid.
///
/// # Panics
/// Outside an actor; there is no own pid there.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() {
///     assert_eq!(self_pid(), self_address::<Anything>().pid());
/// }
/// ```
#[must_use]
pub fn self_pid() -> Pid {
    context::current("self_pid", "the pid of an address or an `Inbox`").pid()
}

/// The calling actor's own address, with the protocol that the caller names.
///
/// The name is not checked: in `async fn counter` it should be `Counter`, in a plain
/// future, `main` and tests [`Anything`](super::Anything).
///
/// # Panics
/// Outside an actor; use [`Inbox::address`](crate::Inbox::address) there.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// struct Tick;
///
/// #[actor]
/// async fn metronome(mut left: u32) {
///     let me = self_address::<Metronome>();
///     me.send(Tick);
///     while left > 0 {
///         #[receive]
///         match receive().await {
///             Tick => {
///                 left -= 1;
///                 me.send(Tick);
///             }
///         }
///     }
/// }
///
/// assert_eq!(uproar::run(metronome(3)), ExitReason::Normal);
/// ```
#[must_use]
pub fn self_address<P>() -> Address<P> {
    Address::new(context::current_ref("self_address", "`Inbox::address`"))
}

/// Names one worker of a runtime: a number, counted from zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkerId(usize);

impl WorkerId {
    /// The worker with this number, counted from zero.
    #[must_use]
    pub const fn new(number: usize) -> WorkerId {
        WorkerId(number)
    }

    /// Its number.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0
    }
}

impl fmt::Debug for WorkerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WorkerId({})", self.0)
    }
}

impl fmt::Display for WorkerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The worker that runs the caller; `None` on any other thread.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// assert_eq!(worker_id(), None);
/// uproar::run(async {
///     // The main actor of `run` stays on worker 0, the calling thread.
///     assert_eq!(worker_id(), Some(WorkerId::new(0)));
/// });
/// ```
#[must_use]
pub fn worker_id() -> Option<WorkerId> {
    context::worker().map(|worker| WorkerId(worker.index))
}

/// Lets the other runnable actors of this worker run first.
///
/// # Cancel safety
/// Dropping it changes nothing.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// let runtime = uproar::Runtime::builder().manual();
/// runtime.block_on(async {
///     let other = spawn(async {});
///     while other.is_alive() {
///         yield_now().await;
///     }
/// });
/// ```
#[inline]
pub fn yield_now() -> Yield {
    Yield { yielded: false }
}

/// The future of [`yield_now`].
#[derive(Debug)]
#[must_use = "it lets others run only when it is awaited"]
pub struct Yield {
    yielded: bool,
}

impl Future for Yield {
    type Output = ();

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.yielded {
            return Poll::Ready(());
        }
        self.yielded = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

/// Spends reductions of this slice, for work that awaits nothing.
///
/// Goes on at once while the slice has some left, and lets others run first when
/// they are spent. Loops of `#[actor]` functions do this at every turn.
///
/// # Cancel safety
/// Dropping it changes nothing.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() {
///     let mut sum = 0u64;
///     for chunk in (0..1_000_000u64).collect::<Vec<_>>().chunks(1000) {
///         sum += chunk.iter().sum::<u64>();
///         consume_reductions(10).await;
///     }
///     assert_eq!(sum, 499_999_500_000);
/// }
/// ```
#[inline]
pub fn consume_reductions(n: u32) -> Consume {
    Consume { left: n }
}

/// One turn of a loop.
#[doc(hidden)]
#[inline]
pub fn turn() -> Consume {
    Consume { left: 1 }
}

/// The future of [`consume_reductions`].
#[derive(Debug)]
#[must_use = "it spends reductions only when it is awaited"]
pub struct Consume {
    left: u32,
}

impl Future for Consume {
    type Output = ();

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.left > 0 {
            if !context::spend(i64::from(self.left)) {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            self.left = 0;
        }
        Poll::Ready(())
    }
}
