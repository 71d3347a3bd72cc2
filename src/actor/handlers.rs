//! Structs with handlers: what the code of `#[actor] impl` is made of.
//!
//! The loop itself is generated, for the futures of the handlers have no names. In here
//! is what it does at each turn: take the next message, give the reply to whom it
//! belongs, let go of what nobody handles.

use std::convert::Infallible;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::reply::{Caller, ReplyTo};
use super::traits::{Outcome, Receives};
use crate::mailbox::{Envelope, Scan, Slot, Step, Wants};
use crate::observe::events;
use crate::process::ExitReason;
use crate::runtime;
use crate::scheduler::context;

/// A struct actor that handles messages of type `M`, and answers them.
///
/// `#[actor] impl` implements it, once for each `#[receive]` method; there is no other
/// way to. It is what [`Address::call`](crate::Address::call) asks for. As a bound it
/// says what a function calls:
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// struct Area;
///
/// async fn total<P>(shapes: &[Address<P>]) -> Result<f64, AskError>
/// where
///     P: Handles<Area, Reply = f64>,
/// {
///     let mut total = 0.0;
///     for shape in shapes {
///         total += shape.call(Area).await?;
///     }
///     Ok(total)
/// }
///
/// struct Square(f64);
///
/// #[actor]
/// impl Square {
///     #[receive]
///     fn area(&mut self, _: Area) -> f64 {
///         self.0 * self.0
///     }
/// }
///
/// #[uproar::main]
/// async fn main() -> Result<(), AskError> {
///     let squares = [spawn(Square(2.0)), spawn(Square(3.0))];
///     assert_eq!(total(&squares).await?, 13.0);
///     Ok(())
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no handler for a `{M}`",
    label = "this actor does not handle a `{M}`",
    note = "write a handler in its `#[actor] impl`: `#[receive] async fn name(&mut self, message: {M}) -> Reply {{ .. }}`; `call` works with handlers, for a message that carries a `ReplyTo` use `ask`"
)]
pub trait Handles<M>: Receives<M> {
    /// What the handler returns.
    type Reply: Send + 'static;
}

/// A message that a handler answers, and the way back. What
/// [`Address::call`](crate::Address::call) sends.
pub struct Call<M, R> {
    message: M,
    reply_to: ReplyTo<R>,
}

impl<M, R> Call<M, R> {
    pub(super) fn new(message: M, reply_to: ReplyTo<R>) -> Self {
        Call { message, reply_to }
    }
}

impl<M, R> fmt::Debug for Call<M, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Call<{}>", std::any::type_name::<M>())
    }
}

/// Stands for the future of a struct actor wherever a bound asks whether that is `Send`.
///
/// The future itself has no name on stable Rust. It is `Send`, or `#[actor]` would not
/// compile, unless the actor is `local`: then `L` is not.
pub struct Handling<A, L: ?Sized = ()> {
    never: Infallible,
    actor: PhantomData<fn() -> A>,
    like: PhantomData<L>,
}

/// In `dyn LocalActor`, which is not `Send`.
pub trait LocalActor {}

impl<A, L: ?Sized> Future for Handling<A, L> {
    type Output = ExitReason;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<ExitReason> {
        match self.never {}
    }
}

/// The future to spawn where a local actor's would have to be `Send`. No bound that
/// asks for it holds.
pub fn never_send() -> std::future::Pending<ExitReason> {
    unreachable!("the future of a local actor is not `Send`")
}

/// Makes the exit signal `Shutdown` a wish from now on: the loop ends with the handler
/// that it is in.
pub fn stop_gracefully() {
    context::current("stop_gracefully", "nothing").stop_gracefully();
}

/// Waits for the next message that `take` makes something of; `None` when the actor has
/// been asked to stop.
pub fn next<T, F>(wants: Wants, take: F) -> Next<F>
where
    F: FnMut(&mut Slot) -> Option<T>,
{
    Next {
        scan: Scan::new(wants),
        take,
    }
}

/// The future of [`next`].
#[must_use = "it takes nothing until it is awaited"]
pub struct Next<F> {
    scan: Scan,
    take: F,
}

// Nothing in it is pinned.
impl<F> Unpin for Next<F> {}

impl<T, F> Future for Next<F>
where
    F: FnMut(&mut Slot) -> Option<T>,
{
    type Output = Option<T>;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let this = &mut *self;
        loop {
            // A signal that the step below drains is followed by a wake-up, as all are.
            if context::current("next", "nothing").is_stopping() {
                return Poll::Ready(None);
            }
            if let Step::Taken(taken) = this.scan.step(&mut this.take) {
                return Poll::Ready(Some(taken));
            }
            std::task::ready!(this.scan.poll_wait(cx));
        }
    }
}

/// Takes a message that `A` handles, sent or called.
#[inline]
pub fn take<A, M>(slot: &mut Slot) -> Option<(M, Caller<A::Reply>)>
where
    A: Handles<M>,
    M: Send + 'static,
{
    if let Some(message) = slot.take_if(|message: M| Ok((message, Caller(None)))) {
        return Some(message);
    }
    slot.take_if(|call: Call<M, A::Reply>| Ok((call.message, Caller(Some(call.reply_to)))))
}

/// Gives the reply to the caller; back if there is none.
///
/// Without a bound: that replies are `Send` is for [`Handles`] to say, once.
#[inline]
pub fn reply<R>(caller: Caller<R>, reply: R) -> Option<R> {
    match caller.0 {
        Some(caller) => {
            caller.answer(reply);
            None
        }
        None => Some(reply),
    }
}

/// Lets go of a message that nothing in the actor receives. It came to the bare pid:
/// through an address it does not compile.
#[cold]
pub fn discard(slot: &mut Slot) {
    let Some(message) = slot.take_any_if(Ok::<Envelope, _>) else {
        return;
    };
    let me = context::current("discard", "nothing").pid();
    runtime::count_dead_letter(me, message.type_name());
    drop(message);
}

/// A reply that nobody waits for. If it is an error it would vanish: that is traced.
///
/// The inherent method is for errors; for all else the compiler finds that of
/// [`Unremarkable`].
pub struct Unheard<R>(pub R);

impl<T, E: fmt::Debug> Unheard<Result<T, E>> {
    /// Traces an error of this handler's.
    pub fn report_unheard(&self, handler: &'static str) {
        if let Err(error) = &self.0 {
            trace_unheard(handler, error);
        }
    }
}

/// Replies that may go unheard.
pub trait Unremarkable {
    /// Does nothing.
    fn report_unheard(&self, _: &'static str) {}
}

impl<R> Unremarkable for Unheard<R> {}

#[cold]
fn trace_unheard(handler: &'static str, error: &dyn fmt::Debug) {
    let process = context::current("trace_unheard", "nothing");
    events::unheard_error(process, handler, error);
}

/// What `on_start` and `on_stop` may return.
#[diagnostic::on_unimplemented(
    message = "`on_start` and `on_stop` can't return a `{Self}`",
    label = "returns this",
    note = "they return `()`, or `Result<(), E>` with an `E` that turns into `Box<dyn Error + Send + Sync>`; an `Err` ends the actor"
)]
pub trait Hook {
    /// `Err` with the reason to end with.
    fn into_end(self) -> Result<(), ExitReason>;
}

impl Hook for () {
    fn into_end(self) -> Result<(), ExitReason> {
        Ok(())
    }
}

#[diagnostic::do_not_recommend]
impl<E: Into<Box<dyn Error + Send + Sync>>> Hook for Result<(), E> {
    fn into_end(self) -> Result<(), ExitReason> {
        match self {
            Ok(()) => Ok(()),
            error => Err(error.into_reason()),
        }
    }
}
