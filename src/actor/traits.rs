use std::error::Error;
use std::future::Future;
use std::marker::PhantomData;

use crate::process::ExitReason;

/// Whatever can be spawned: an `#[actor]` fn's value, a struct with an `#[actor] impl`,
/// or any future.
///
/// Implemented by the macros and for all futures; there is no other way to
/// implement it. For functions that are generic over what they spawn:
///
/// # Examples
///
/// ```
/// use uproar::{Outcome, prelude::*};
///
/// fn spawn_all<A>(actors: impl IntoIterator<Item = A>) -> Vec<Address<A::Protocol>>
/// where
///     A: Actor<Future: Send + 'static, Output: Outcome>,
/// {
///     actors.into_iter().map(spawn).collect()
/// }
///
/// #[uproar::main]
/// async fn main() {
///     assert_eq!(spawn_all((0..3).map(|_| async {})).len(), 3);
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an actor",
    label = "neither the value of an `#[actor]` fn, nor a struct with an `#[actor] impl`, nor a future",
    note = "call the `#[actor]` fn: `spawn(counter(0))`; or spawn an async block: `spawn(async move {{ .. }})`; or give a struct handlers: `#[actor] impl Counter {{ .. }}`"
)]
pub trait Actor {
    /// The messages it receives: `Address<Self::Protocol>`.
    type Protocol: 'static;
    /// What it ends with.
    type Output;
    /// The future that it runs; for a struct actor a stand-in, with the same bounds.
    type Future: Future<Output = Self::Output>;

    /// Turns it into its future.
    #[doc(hidden)]
    fn into_future(self) -> impl Future<Output = Self::Output> + 'static
    where
        Self::Future: 'static;

    /// Turns it into its future, one that may change threads.
    #[doc(hidden)]
    fn into_send_future(self) -> impl Future<Output = Self::Output> + Send + 'static
    where
        Self::Future: Send + 'static;
}

#[diagnostic::do_not_recommend]
impl<F: Future> Actor for F {
    type Protocol = Anything;
    type Output = F::Output;
    type Future = F;

    fn into_future(self) -> impl Future<Output = F::Output> + 'static
    where
        F: 'static,
    {
        self
    }

    fn into_send_future(self) -> impl Future<Output = F::Output> + Send + 'static
    where
        F: Send + 'static,
    {
        self
    }
}

/// What an `#[actor]` fn returns: the actor, not yet spawned.
#[must_use = "an actor does nothing until it is spawned"]
pub struct ActorFn<P, F> {
    future: F,
    protocol: PhantomData<fn() -> P>,
}

impl<P, F> ActorFn<P, F> {
    #[doc(hidden)]
    pub fn new(future: F) -> Self {
        ActorFn {
            future,
            protocol: PhantomData,
        }
    }
}

impl<P: 'static, F: Future> Actor for ActorFn<P, F> {
    type Protocol = P;
    type Output = F::Output;
    type Future = F;

    fn into_future(self) -> impl Future<Output = F::Output> + 'static
    where
        F: 'static,
    {
        self.future
    }

    fn into_send_future(self) -> impl Future<Output = F::Output> + Send + 'static
    where
        F: Send + 'static,
    {
        self.future
    }
}

/// A protocol that receives messages of type `M`.
///
/// `#[actor]` implements it for the actor's protocol and each message that its body
/// receives; `#[receive]` on an enum for that enum. As a bound it says what a
/// function sends:
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// struct Open;
/// struct Close;
///
/// fn slam<P: Receives<Open> + Receives<Close>>(door: &Address<P>) {
///     door.send(Open);
///     door.send(Close);
/// }
///
/// #[actor]
/// async fn door(mut noise: u32) -> Result<(), String> {
///     while noise < 2 {
///         #[receive]
///         match receive().await {
///             Open | Close => noise += 1,
///         }
///     }
///     Err("off its hinges".into())
/// }
///
/// #[uproar::main]
/// async fn main() {
///     slam(&spawn(door(0)));
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` never receives a `{M}`",
    label = "this has no arm or handler for a `{M}`",
    note = "in an `#[actor] impl`, a handler adds it: `#[receive] async fn ..(&mut self, _: {M})`; for a type parameter, its bound does: `{Self}: Receives<{M}>`"
)]
pub trait Receives<M> {}

/// That the messages of the protocol `P`, which are `List`, include `M`: what the macros' implementations of
/// [`Receives`] come down to. An error says that it is not implemented for `MessagesOfCounter`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{P}` never receives a `{M}`",
    label = "not a message of `{P}`",
    note = "`{P}` receives `{List}`",
    note = "an actor receives what its arms name, if need be as `Typed::<{M}>(..)`, and what `#[actor(receives({M}))]` adds for its helper functions; a `#[receive]` enum is a protocol of what its variants hold"
)]
pub trait Include<M, P: ?Sized, List: ?Sized> {}

/// [`Include`] of a protocol without messages.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{P}` never receives a `{M}`",
    label = "not a message of `{P}`",
    note = "`{P}` receives no messages",
    note = "what an actor receives is read off its `#[receive] match`es; what it receives otherwise, or in helper functions, is for `#[actor(receives({M}))]` or `#[actor(protocol = ..)]` to say"
)]
pub trait IncludeInEmpty<M, P: ?Sized> {}

/// A message that every protocol receives, for nobody can send it.
#[doc(hidden)]
#[derive(Debug)]
pub enum Nothing {}

/// Stands in a protocol's list for messages that may not exist. Every protocol receives this too, so that one without
/// messages receives two.
#[doc(hidden)]
#[derive(Debug)]
pub enum OthersUnderCfg {}

/// Its argument: names a type in angle brackets.
#[doc(hidden)]
pub type Plain<T> = T;

/// Names a message, for the protocol, from within a block that alone can name it.
#[doc(hidden)]
pub trait Anchor<Site, const NUMBER: usize> {
    type Message;
}

/// The protocol of an actor that may receive any message: of a plain future, of the
/// main actor, of a test.
///
/// Nothing is checked: what the actor never receives stays in its mailbox.
#[derive(Debug)]
pub enum Anything {}

impl<M: Send + 'static> Receives<M> for Anything {}

/// What an actor may end with: `()`, `!`, `Result<(), E>`, `ExitReason`.
#[diagnostic::on_unimplemented(
    message = "an actor can't end with a `{Self}`",
    label = "ends with this",
    note = "an actor returns `()`, `!`, `ExitReason`, or `Result<(), E>` with an `E` that turns into `Box<dyn Error + Send + Sync>`"
)]
pub trait Outcome {
    /// The exit reason.
    #[doc(hidden)]
    fn into_reason(self) -> ExitReason;
}

impl Outcome for () {
    fn into_reason(self) -> ExitReason {
        ExitReason::Normal
    }
}

impl Outcome for ExitReason {
    fn into_reason(self) -> ExitReason {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<E: Into<Box<dyn Error + Send + Sync>>> Outcome for Result<(), E> {
    fn into_reason(self) -> ExitReason {
        match self {
            Ok(()) => ExitReason::Normal,
            Err(error) => {
                let error = error.into();
                // A reason that was handed on stays what it is.
                match error.downcast::<ExitReason>() {
                    Ok(reason) => *reason,
                    Err(error) => ExitReason::error(error),
                }
            }
        }
    }
}

/// Names the output of a function type, and so the type `!` on stable Rust.
#[doc(hidden)]
pub trait FnOutput {
    type Output;
}

impl<R> FnOutput for fn() -> R {
    type Output = R;
}

impl Outcome for <fn() -> ! as FnOutput>::Output {
    fn into_reason(self) -> ExitReason {
        self
    }
}
