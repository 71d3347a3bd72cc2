use std::error::Error;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use super::ask::Ask;
use super::deliver::Deliver;
use super::handlers::{Call, Handles};
use super::reply::{self, ReplyTo};
use super::traits::Receives;
use crate::mailbox::{Pushed, Refused};
use crate::process::{ExitReason, Pid, Process, ProcessRef};
use crate::runtime;
use crate::scheduler::context;

/// Where to send messages to one actor whose protocol is `P`.
///
/// Cheap to clone, the size of a pointer, usable from any thread and any executor.
/// It keeps the memory of the actor, not the actor: an actor ends when it ends, and
/// sends to it then go nowhere. Equality and hash are those of the [`Pid`].
///
/// # Ordering
/// Messages from one sender arrive in the order sent (R1). A message is in the
/// mailbox before `send` returns (R2).
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// struct Greet(String);
///
/// #[actor]
/// async fn greeter() {
///     #[receive]
///     match receive().await {
///         Greet(name) => println!("hello, {name}"),
///     }
/// }
///
/// #[uproar::main]
/// async fn main() {
///     let greeter: Address<Greeter> = spawn(greeter());
///     greeter.send(Greet("world".into()));
/// }
/// ```
pub struct Address<P> {
    process: ProcessRef,
    protocol: PhantomData<fn() -> P>,
}

/// An address narrowed to one message type.
///
/// From [`Address::recipient`] or [`Inbox::address`](crate::Inbox::address). For senders
/// that need not know what the receiver is: actors of different protocols that take
/// the same message, and inboxes, all have a recipient of the same type.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// struct Line(&'static str);
///
/// #[actor]
/// async fn printer() {
///     #[receive]
///     match receive().await {
///         Line(line) => println!("{line}"),
///     }
/// }
///
/// #[actor]
/// async fn length(result: Recipient<usize>) {
///     #[receive]
///     match receive().await {
///         Line(line) => result.send(line.len()),
///     }
/// }
///
/// #[uproar::main]
/// async fn main() {
///     let me = self_address::<Anything>();
///     let all: [Recipient<Line>; 2] = [
///         spawn(printer()).recipient(),
///         spawn(length(me.recipient())).recipient(),
///     ];
///     for to in &all {
///         to.send(Line("hello"));
///     }
///     let Typed(length) = receive::<Typed<usize>>().await;
///     assert_eq!(length, 5);
/// }
/// ```
pub struct Recipient<M> {
    process: ProcessRef,
    message: PhantomData<fn(M)>,
}

/// Why a message was not taken. It comes back.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() -> Result<(), SpawnError> {
///     let slow = Spawn::new()
///         .mailbox(Mailbox::bounded(1))
///         .spawn(std::future::pending::<()>())?;
///     assert_eq!(slow.try_send("first"), Ok(()));
///     let error = slow.try_send("second").unwrap_err();
///     assert_eq!(error, SendError::Full("second"));
///     assert_eq!(error.to_string(), "the mailbox is full");
///     assert_eq!(error.into_inner(), "second");
///     Ok(())
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SendError<M> {
    /// The actor is dead, or nobody has the name.
    Gone(M),
    /// Its mailbox is full.
    Full(M),
}

impl<M> SendError<M> {
    /// The message.
    pub fn into_inner(self) -> M {
        match self {
            SendError::Gone(message) | SendError::Full(message) => message,
        }
    }
}

impl<M> fmt::Debug for SendError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SendError::Gone(_) => "Gone(..)",
            SendError::Full(_) => "Full(..)",
        })
    }
}

impl<M> fmt::Display for SendError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SendError::Gone(_) => "the actor is gone",
            SendError::Full(_) => "the mailbox is full",
        })
    }
}

impl<M> Error for SendError<M> {}

/// Sends a message to a process: the one path that every send takes.
#[inline]
pub(crate) fn try_send<M: Send + 'static>(
    process: &Process,
    message: M,
) -> Result<(), SendError<M>> {
    if !context::sending_to(process) || process.is_secluded() && context::is_outsider(process.pid())
    {
        return Err(SendError::Gone(message));
    }
    let mut dropped = None;
    match process.mailbox.send(message, &mut dropped) {
        Ok(Pushed::Queued) => {}
        Ok(Pushed::Wake) => process.waker().wake_by_ref(),
        Err(Refused::Gone(message)) => return Err(SendError::Gone(message)),
        Err(Refused::Full(message)) => return Err(SendError::Full(message)),
    }
    if let Some(dropped) = dropped {
        runtime::count_mailbox_drop(process);
        reply::drop_for_another(dropped);
    }
    Ok(())
}

/// Sends, and counts what can't be delivered.
#[inline]
pub(crate) fn send_to<M: Send + 'static>(process: &Process, message: M) {
    if let Err(error) = try_send(process, message) {
        lost(process, error);
    }
}

#[cold]
fn lost<M>(to: &Process, error: SendError<M>) {
    match error {
        SendError::Gone(message) => {
            runtime::count_dead_letter(to.pid(), std::any::type_name::<M>());
            // A `ReplyTo` in it fails as if its request had been sent here.
            let _ending = context::Ending::enter(&ExitReason::NoProcess);
            drop(message);
        }
        SendError::Full(message) => {
            runtime::count_mailbox_drop(to);
            reply::drop_for_another(message);
        }
    }
}

impl<P> Address<P> {
    #[inline]
    pub(crate) fn new(process: ProcessRef) -> Self {
        Address {
            process,
            protocol: PhantomData,
        }
    }

    /// Sends a message. Never blocks.
    ///
    /// When the actor is gone, or its mailbox is full and refuses, the message is
    /// dropped and counted: as a dead letter, or as a mailbox drop. Use `try_send`
    /// to be told, `deliver` to wait for room.
    ///
    /// Source: R2, R3; Erlang's `!`.
    #[inline]
    pub fn send<M>(&self, message: M)
    where
        M: Send + 'static,
        P: Receives<M>,
    {
        send_to(&self.process, message);
    }

    /// Sends a message, or says why not and gives it back. Never blocks.
    ///
    /// # Errors
    /// * [`SendError::Gone`]: the actor is dead.
    /// * [`SendError::Full`]: its mailbox is full and refuses.
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::prelude::*;
    ///
    /// #[uproar::main]
    /// async fn main() {
    ///     let brief = spawn(async {});
    ///     while brief.is_alive() {
    ///         yield_now().await;
    ///     }
    ///     assert_eq!(brief.try_send("too late"), Err(SendError::Gone("too late")));
    /// }
    /// ```
    #[inline]
    pub fn try_send<M>(&self, message: M) -> Result<(), SendError<M>>
    where
        M: Send + 'static,
        P: Receives<M>,
    {
        try_send(&self.process, message)
    }

    /// Sends a message, waiting for room if the mailbox is full.
    ///
    /// Senders that wait get room in the order they came.
    ///
    /// # Errors
    /// * [`SendError::Gone`]: the actor is dead, or died meanwhile.
    /// * [`SendError::Full`]: the actor sends to itself; it would wait for ever.
    ///
    /// # Cancel safety
    /// Dropping the future drops the message, unless it has been delivered.
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::prelude::*;
    ///
    /// #[uproar::main]
    /// async fn main() -> Result<(), Box<dyn std::error::Error>> {
    ///     let adder = Spawn::new().mailbox(Mailbox::bounded(2)).spawn(async {
    ///         let mut sum = 0;
    ///         for _ in 0..100 {
    ///             let Typed(n) = receive::<Typed<u64>>().await;
    ///             sum += n;
    ///         }
    ///         let Typed(reply_to) = receive::<Typed<ReplyTo<u64>>>().await;
    ///         reply_to.send(sum);
    ///     })?;
    ///     for n in 1..=100u64 {
    ///         adder.deliver(n).await?;              // never more than two ahead
    ///     }
    ///     assert_eq!(adder.ask(|reply_to: ReplyTo<u64>| reply_to).await?, 5050);
    ///     Ok(())
    /// }
    /// ```
    #[inline]
    pub fn deliver<M>(&self, message: M) -> Deliver<'_, M>
    where
        M: Send + 'static,
        P: Receives<M>,
    {
        Deliver::new(&self.process, message)
    }

    /// Sends a request that carries a [`ReplyTo`], and waits for the reply.
    ///
    /// `make` puts the `ReplyTo` into a message. The request is sent by this call;
    /// the returned future waits for the answer, on any executor. Set a limit with
    /// [`Ask::timeout`]; block a plain thread with [`Ask::wait`]. Into a full
    /// mailbox that refuses, the future delivers the request when there is room.
    ///
    /// The reply does not pass through the caller's mailbox, so an ask costs the
    /// same however many messages wait there, and a late reply goes nowhere.
    ///
    /// # Errors
    /// See [`AskError`](super::AskError).
    ///
    /// # Cancel safety
    /// Dropping the future drops the interest in the reply: the server's
    /// [`ReplyTo::is_wanted`] turns false.
    ///
    /// Source: R35, R36; Erlang's `gen_server:call`.
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::prelude::*;
    ///
    /// struct Double(u64, ReplyTo<u64>);
    ///
    /// #[actor]
    /// async fn doubler() {
    ///     loop {
    ///         #[receive]
    ///         match receive().await {
    ///             Double(n, reply_to) => reply_to.send(2 * n),
    ///         }
    ///     }
    /// }
    ///
    /// #[uproar::main]
    /// async fn main() -> Result<(), AskError> {
    ///     let doubler = spawn(doubler());
    ///     assert_eq!(doubler.ask(|reply_to| Double(21, reply_to)).await?, 42);
    ///     Ok(())
    /// }
    /// ```
    #[inline]
    pub fn ask<R, M>(&self, make: impl FnOnce(ReplyTo<R>) -> M) -> Ask<R, M>
    where
        R: Send + 'static,
        M: Send + 'static,
        P: Receives<M>,
    {
        Ask::new(&self.process, make)
    }

    /// Sends a message to a struct actor, and waits for what its handler returns.
    ///
    /// As an [`ask`](Self::ask), without a `ReplyTo` in the message: the reply travels
    /// the same way, the same things can come instead, and the same limits can be set.
    /// Every message that has a handler can be called; use `send` when the reply does
    /// not matter.
    ///
    /// # Errors
    /// See [`AskError`](super::AskError). What the handler returns is the reply, an
    /// `Err` too.
    ///
    /// # Cancel safety
    /// Dropping the future drops the interest in the reply, not the request.
    ///
    /// Source: R35, R36; Erlang's `gen_server:call`.
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::prelude::*;
    ///
    /// struct Deposit(u64);
    /// struct Balance;
    /// struct Account { balance: u64 }
    ///
    /// #[actor]
    /// impl Account {
    ///     #[receive]
    ///     async fn deposit(&mut self, Deposit(n): Deposit) {
    ///         self.balance += n;
    ///     }
    ///
    ///     #[receive]
    ///     async fn balance(&mut self, _: Balance) -> u64 {
    ///         self.balance
    ///     }
    /// }
    ///
    /// #[uproar::main]
    /// async fn main() -> Result<(), AskError> {
    ///     let account: Address<Account> = spawn(Account { balance: 0 });
    ///     account.send(Deposit(40));
    ///     account.call(Deposit(2)).await?;
    ///     assert_eq!(account.call(Balance).timeout(Duration::from_secs(1)).await?, 42);
    ///     Ok(())
    /// }
    /// ```
    #[inline]
    pub fn call<M, R>(&self, message: M) -> Ask<R, Call<M, R>>
    where
        M: Send + 'static,
        // A name of its own: of a method whose type can't be known rustc says nothing but that.
        R: Send + 'static,
        P: Handles<M, Reply = R>,
    {
        Ask::new(&self.process, |reply_to| Call::new(message, reply_to))
    }

    /// The address narrowed to one message type. See [`Recipient`].
    pub fn recipient<M>(&self) -> Recipient<M>
    where
        M: Send + 'static,
        P: Receives<M>,
    {
        Recipient::new(self.process.clone())
    }
}

impl<M> Recipient<M> {
    pub(crate) fn new(process: ProcessRef) -> Self {
        Recipient {
            process,
            message: PhantomData,
        }
    }
}

impl<M: Send + 'static> Recipient<M> {
    /// Sends a message. Never blocks.
    ///
    /// When the actor is gone, or its mailbox is full and refuses, the message
    /// is dropped and counted: as a dead letter, or as a mailbox drop. Use
    /// `try_send` to be told, `deliver` to wait for room.
    ///
    /// Source: R2, R3; Erlang's `!`.
    #[inline]
    pub fn send(&self, message: M) {
        send_to(&self.process, message);
    }

    /// Sends a message, or says why not and gives it back. Never blocks.
    ///
    /// # Errors
    /// * [`SendError::Gone`]: the actor is dead.
    /// * [`SendError::Full`]: its mailbox is full and refuses.
    #[inline]
    pub fn try_send(&self, message: M) -> Result<(), SendError<M>> {
        try_send(&self.process, message)
    }

    /// Sends a message, waiting for room if the mailbox is full.
    ///
    /// Senders that wait get room in the order they came.
    ///
    /// # Errors
    /// * [`SendError::Gone`]: the actor is dead, or died meanwhile.
    /// * [`SendError::Full`]: the actor sends to itself; it would wait for ever.
    ///
    /// # Cancel safety
    /// Dropping the future drops the message, unless it has been delivered.
    #[inline]
    pub fn deliver(&self, message: M) -> Deliver<'_, M> {
        Deliver::new(&self.process, message)
    }

    /// Sends a request and waits for the reply, as [`Address::ask`] does.
    #[inline]
    pub fn ask<R: Send + 'static>(&self, make: impl FnOnce(ReplyTo<R>) -> M) -> Ask<R, M> {
        Ask::new(&self.process, make)
    }
}

macro_rules! identity {
    ($Name:ident<$T:ident>, $marker:ident) => {
        impl<$T> $Name<$T> {
            pub(super) fn process(&self) -> &ProcessRef {
                &self.process
            }

            /// The untyped identity.
            pub fn pid(&self) -> Pid {
                self.process.pid()
            }

            /// Whether it has not ended and no kill is on its way.
            ///
            /// True may be out of date when it is returned; false stays false.
            pub fn is_alive(&self) -> bool {
                self.process.is_alive()
            }
        }

        impl<$T> Clone for $Name<$T> {
            fn clone(&self) -> Self {
                $Name {
                    process: self.process.clone(),
                    $marker: PhantomData,
                }
            }
        }

        impl<$T> PartialEq for $Name<$T> {
            fn eq(&self, other: &Self) -> bool {
                self.pid() == other.pid()
            }
        }

        impl<$T> Eq for $Name<$T> {}

        impl<$T> Hash for $Name<$T> {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.pid().hash(state);
            }
        }

        impl<$T> fmt::Debug for $Name<$T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($Name), self.pid())
            }
        }

        impl<$T> From<&$Name<$T>> for Pid {
            fn from(address: &$Name<$T>) -> Pid {
                address.pid()
            }
        }
    };
}

identity!(Address<P>, protocol);
identity!(Recipient<M>, message);

/// Sends a message to a bare pid: unchecked, of any type.
///
/// A dead or unknown pid drops and counts it, as [`Address::send`] does.
///
/// # Panics
/// Outside an actor; use [`Handle::send`](crate::Handle::send) there.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() {
///     send(self_pid(), "note to self");
///     let Typed(note) = receive::<Typed<&str>>().await;
///     assert_eq!(note, "note to self");
/// }
/// ```
pub fn send<M: Send + 'static>(to: impl Into<Pid>, message: M) {
    let caller = context::current("send", "`Handle::send`");
    runtime::send_by_pid(caller, to.into(), message);
}
