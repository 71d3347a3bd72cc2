use std::any::TypeId;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::mailbox::{Deadline, Envelope, Forever, Limit, Scan, Slot, Step, Wants};

/// What a receive can yield: a `#[receive]` struct or enum, [`Typed`], [`Envelope`].
///
/// Implemented by the macros; there is no other way to implement it. Message types that
/// are received in a `#[receive] match` only need not be receivable.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[receive]
/// enum Event {
///     Started(Typed<&'static str>),
///     Count(Typed<u64>),
///     Other(Envelope),
/// }
///
/// #[uproar::main]
/// async fn main() {
///     send(self_pid(), 7u64);
///     send(self_pid(), 'x');
///     assert!(matches!(receive().await, Event::Count(Typed(7))));
///     assert!(matches!(receive().await, Event::Other(any) if any.is::<char>()));
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be received by itself",
    label = "not a receivable type",
    note = "for a `match` on messages, put `#[receive]` on the `match`; else put it on the struct or enum, or receive it as `Typed::<{Self}>(..)`"
)]
pub trait Receivable: Sized {
    #[doc(hidden)]
    const WANTS: Wants;

    #[doc(hidden)]
    fn take(slot: &mut Slot) -> Option<Self>;
}

/// A message of type `T`, for types that have no `#[receive]` of their own.
///
/// As a pattern of a `#[receive] match`, `Typed::<T>(pattern)` names the message
/// type where no path does.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() {
///     send(self_pid(), String::from("text"));
///     let Typed(text) = receive::<Typed<String>>().await;
///     assert_eq!(text, "text");
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Typed<T>(pub T);

impl<T: Send + 'static> Receivable for Typed<T> {
    const WANTS: Wants = Wants::Types(&[TypeId::of::<T>()]);

    #[inline]
    fn take(slot: &mut Slot) -> Option<Self> {
        slot.take_if(|message| Ok(Typed(message)))
    }
}

impl Receivable for Envelope {
    const WANTS: Wants = Wants::Any;

    #[inline]
    fn take(slot: &mut Slot) -> Option<Self> {
        slot.take_any_if(Ok)
    }
}

/// The time is over and no message matched.
///
/// The error of a [`receive`] with a timeout and of
/// [`Inbox::recv_timeout`](crate::Inbox::recv_timeout). As the pattern of an arm of a
/// `#[receive(timeout = ..)] match` it stands for the time that is over.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Timeout;

impl fmt::Display for Timeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("timed out")
    }
}

impl Error for Timeout {}

/// Whether two types that are written differently are one. Known at compile time.
#[doc(hidden)]
#[inline(always)]
pub fn same_message<A: 'static, B: 'static>(_: *const A, _: *const B) -> bool {
    TypeId::of::<A>() == TypeId::of::<B>()
}

/// An arm with alternatives of several types: they bind variables of the same types.
///
/// The first that the compiler comes to says which. It reports another at the variable.
#[doc(hidden)]
#[inline(always)]
pub fn same_arm<A>(_: PhantomData<fn() -> A>, arm: A) -> A {
    arm
}

/// Receives the oldest message that `T` accepts, and leaves all others in order.
///
/// Inside an `#[actor]` fn it is mostly written as the head of a match:
/// `#[receive] match receive().await { .. }`, whose arms say what is accepted.
///
/// # Cancel safety
/// A message leaves the mailbox only in the poll that returns it: dropping the
/// future loses and reorders nothing.
///
/// # Panics
/// Outside an actor (use [`Inbox`](crate::Inbox) there), and when the future is
/// polled by another actor than the one that called this.
///
/// Source: R8 to R17; Erlang's `receive`.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[receive]
/// struct Price(u64);
///
/// #[receive]
/// struct Quantity(u64);
///
/// #[receive]
/// enum Either { Price(Price), Quantity(Quantity) }
///
/// #[uproar::main]
/// async fn main() {
///     let me = self_address::<Either>();
///     me.send(Price(3));
///     me.send(Quantity(2));
///     let Quantity(n) = receive().await;                   // selects: `Price` waits
///     let Price(p) = receive().await;
///     assert_eq!((n, p), (2, 3));
///     let late = receive::<Either>().timeout(Duration::from_millis(1)).await;
///     assert!(late.is_err());
/// }
/// ```
#[inline]
pub fn receive<T: Receivable>() -> Receive<T> {
    Receive {
        scan: Scan::new(T::WANTS),
        take: T::take,
    }
}

/// Receives the oldest message of type `T` for which `predicate` is true.
///
/// # Cancel safety, Panics
/// As for [`receive`]. A predicate that panics takes the message under test with it.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() {
///     for n in [2u64, 3, 4] {
///         send(self_pid(), n);
///     }
///     assert_eq!(receive_if(|n: &u64| n % 2 == 1).await, 3);
/// }
/// ```
#[inline]
pub fn receive_if<T, F>(predicate: F) -> ReceiveIf<T, F>
where
    T: Send + 'static,
    F: FnMut(&T) -> bool,
{
    ReceiveIf {
        scan: Scan::new(const { Wants::Types(&[TypeId::of::<T>()]) }),
        predicate,
        message: PhantomData,
    }
}

/// Receives the oldest message that `T` accepts if one is there. Never waits.
///
/// # Panics
/// Outside an actor.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() {
///     assert!(try_receive::<Envelope>().is_none());
/// }
/// ```
pub fn try_receive<T: Receivable>() -> Option<T> {
    match Scan::with_timeout(T::WANTS, Duration::ZERO).step(T::take) {
        Step::Taken(message) => Some(message),
        Step::TimedOut | Step::Wait => None,
    }
}

/// The future of [`receive`].
#[must_use = "a receive does nothing until it is awaited"]
pub struct Receive<T, L: Limit = Forever> {
    scan: Scan<L>,
    take: fn(&mut Slot) -> Option<T>,
}

impl<T> Receive<T> {
    /// Limits the wait, counted from this call.
    ///
    /// Zero looks through the mailbox once and does not wait. Messages that do not
    /// match do not lengthen the wait; one that matches and is there when the time
    /// is over wins.
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::prelude::*;
    ///
    /// #[uproar::main]
    /// async fn main() {
    ///     let text = receive::<Typed<String>>().timeout(Duration::from_millis(1)).await;
    ///     assert_eq!(text, Err(Timeout));
    /// }
    /// ```
    pub fn timeout(self, limit: Duration) -> ReceiveTimeout<T> {
        ReceiveTimeout {
            scan: self.scan.limited(limit),
            take: self.take,
        }
    }
}

/// The future of [`Receive::timeout`].
#[must_use = "a receive does nothing until it is awaited"]
pub struct ReceiveTimeout<T> {
    scan: Scan<Deadline>,
    take: fn(&mut Slot) -> Option<T>,
}

impl<T> Future for Receive<T> {
    type Output = T;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let this = &mut *self;
        loop {
            if let Step::Taken(message) = this.scan.step(this.take) {
                return Poll::Ready(message);
            }
            std::task::ready!(this.scan.poll_wait(cx));
        }
    }
}

impl<T> Future for ReceiveTimeout<T> {
    type Output = Result<T, Timeout>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        loop {
            match this.scan.step(this.take) {
                Step::Taken(message) => return Poll::Ready(Ok(message)),
                Step::TimedOut => return Poll::Ready(Err(Timeout)),
                Step::Wait => std::task::ready!(this.scan.poll_wait(cx)),
            }
        }
    }
}

/// The future of [`receive_if`].
#[must_use = "a receive does nothing until it is awaited"]
pub struct ReceiveIf<T, F> {
    scan: Scan,
    predicate: F,
    message: PhantomData<fn() -> T>,
}

// Nothing in it is pinned.
impl<T, F> Unpin for ReceiveIf<T, F> {}

impl<T, F> Future for ReceiveIf<T, F>
where
    T: Send + 'static,
    F: FnMut(&T) -> bool,
{
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let ReceiveIf {
            scan, predicate, ..
        } = &mut *self;
        loop {
            let step = scan.step(|slot| {
                slot.take_if(|message: T| {
                    if predicate(&message) {
                        Ok(message)
                    } else {
                        Err(message)
                    }
                })
            });
            if let Step::Taken(message) = step {
                return Poll::Ready(message);
            }
            std::task::ready!(scan.poll_wait(cx));
        }
    }
}
