use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::address::{SendError, try_send};
use super::deliver::Delivery;
use super::reply::{self, Awaited, ReplyTo};
use crate::process::{ExitReason, Pid, Process, ProcessRef};
use crate::reactor::{self, Alarm};
use crate::runtime::{self, ManualRuntime, Tick};
use crate::scheduler::context;

/// Why an ask got no reply.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// struct Get(#[allow(dead_code)] ReplyTo<u64>);
///
/// #[uproar::main]
/// async fn main() {
///     let forgetful = spawn(async {
///         let Typed(Get(_)) = receive().await;           // dropped: no reply
///         let Typed(Get(_reply_to)) = receive().await;   // dropped by the panic
///         panic!("no more");
///     });
///     assert_eq!(forgetful.ask(Get).await, Err(AskError::NoReply));
///     let gone = forgetful.ask(Get).await.unwrap_err();
///     assert!(matches!(&gone, AskError::Gone(ExitReason::Panic(p)) if p.message() == "no more"));
///     let dead = forgetful.ask(Get).await;
///     assert_eq!(dead, Err(AskError::Gone(ExitReason::NoProcess)));
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AskError {
    /// The actor that had the request is dead: it was dead already
    /// (`NoProcess`), or it ended with this reason before it replied.
    Gone(ExitReason),
    /// The [`ReplyTo`] was dropped by someone who lives on.
    NoReply,
    /// The time is over. A reply that comes later goes nowhere.
    Timeout,
    /// The actor asks itself: while it waits it can't answer.
    CallingSelf,
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AskError::Gone(reason) => write!(f, "the actor is gone: {reason}"),
            AskError::NoReply => f.write_str("the request was dropped without a reply"),
            AskError::Timeout => f.write_str("no reply in time"),
            AskError::CallingSelf => f.write_str("an actor can't ask itself"),
        }
    }
}

impl Error for AskError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            AskError::Gone(reason) => Some(reason),
            _ => None,
        }
    }
}

/// A request on its way, and the reply to come. From [`Address::ask`](super::Address::ask).
#[must_use = "the request is sent; await the reply, or use `send` if you want none"]
pub struct Ask<R, M> {
    to: Pid,
    stage: Stage<R, M>,
}

/// Small: the request is nearly always on its way at once.
enum Stage<R, M> {
    Sent(Awaited<R>),
    Failed(Box<AskError>),
    /// The mailbox was full: the request waits for room.
    Delivering(Box<Delivering<R, M>>),
    Over,
}

/// A request that waits for room.
struct Delivering<R, M> {
    process: ProcessRef,
    delivery: Delivery<M>,
    awaited: Option<Awaited<R>>,
}

impl<R, M> Drop for Delivering<R, M> {
    fn drop(&mut self) {
        self.delivery.leave(&self.process);
    }
}

// Nothing in it is pinned.
impl<R, M> Unpin for Ask<R, M> {}

impl<R: Send + 'static, M: Send + 'static> Ask<R, M> {
    #[inline]
    pub(super) fn new(process: &Process, make: impl FnOnce(ReplyTo<R>) -> M) -> Self {
        let to = process.pid();
        if context::try_current().is_some_and(|caller| caller.pid() == to) {
            return Ask {
                to,
                stage: Stage::Failed(Box::new(AskError::CallingSelf)),
            };
        }
        let (reply_to, awaited) = reply::slot();
        let stage = match try_send(process, make(reply_to)) {
            Ok(()) => Stage::Sent(awaited),
            Err(SendError::Gone(request)) => {
                drop(awaited);
                let _ending = context::Ending::enter(&ExitReason::NoProcess);
                drop(request);
                Stage::Failed(Box::new(AskError::Gone(ExitReason::NoProcess)))
            }
            Err(SendError::Full(request)) => {
                let delivering = Delivering {
                    process: ProcessRef::new(process),
                    delivery: Delivery::new(request),
                    awaited: Some(awaited),
                };
                Stage::Delivering(Box::new(delivering))
            }
        };
        Ask { to, stage }
    }

    /// Limits the wait, counted from this call.
    ///
    /// Inside an actor the time is that of its runtime's clock, elsewhere that of
    /// the asked actor's. When the time is over the request is not taken back: the
    /// server may still act on it, and see that nobody waits by
    /// [`ReplyTo::is_wanted`](super::ReplyTo::is_wanted).
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::prelude::*;
    ///
    /// struct Never(#[allow(dead_code)] ReplyTo<()>);
    ///
    /// #[uproar::main]
    /// async fn main() {
    ///     let mute = spawn(std::future::pending::<()>());
    ///     let reply = mute.ask(Never).timeout(Duration::from_millis(1)).await;
    ///     assert_eq!(reply, Err(AskError::Timeout));
    /// }
    /// ```
    pub fn timeout(self, limit: Duration) -> AskTimeout<R, M> {
        let runtime = match reactor::here() {
            0 => self.to.runtime(),
            here => here,
        };
        let now = reactor::with_reactor(runtime, |reactor| {
            reactor.map_or_else(reactor::now, |reactor| reactor.clock.now())
        });
        AskTimeout {
            ask: self,
            alarm: Alarm::on(runtime, now.checked_add(limit)),
        }
    }

    /// Blocks the calling thread until the reply is there.
    ///
    /// # Errors
    /// See [`AskError`].
    ///
    /// # Panics
    /// On a worker of a runtime, where it would block other actors: use `.await`.
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::{Runtime, prelude::*};
    ///
    /// let runtime = Runtime::builder().workers(1).start().unwrap();
    /// let echo = runtime.spawn(async {
    ///     let Typed((n, reply_to)) = receive::<Typed<(u32, ReplyTo<u32>)>>().await;
    ///     reply_to.send(n);
    /// });
    /// let reply = echo.ask(|reply_to: ReplyTo<u32>| (7u32, reply_to)).wait();
    /// assert_eq!(reply, Ok(7));
    /// ```
    pub fn wait(self) -> Result<R, AskError> {
        runtime::block_thread(self)
    }

    /// Runs a manual runtime until the reply is there, for at most `max_ticks` ticks.
    ///
    /// Time does not pass.
    ///
    /// # Errors
    /// See [`AskError`]; [`AskError::Timeout`] also when the ticks are spent, or
    /// nobody can run any more and no timer counts ticks.
    ///
    /// # Panics
    /// Inside an actor of that runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::{Runtime, prelude::*};
    ///
    /// let runtime = Runtime::builder().manual();
    /// let echo = runtime.spawn(async {
    ///     let Typed((n, reply_to)) = receive::<Typed<(u32, ReplyTo<u32>)>>().await;
    ///     reply_to.send(n);
    /// });
    /// assert_eq!(echo.ask(|reply_to| (7u32, reply_to)).wait_ticking(&runtime, 10), Ok(7u32));
    /// ```
    pub fn wait_ticking(
        mut self,
        runtime: &ManualRuntime,
        max_ticks: usize,
    ) -> Result<R, AskError> {
        let mut cx = Context::from_waker(Waker::noop());
        for tick in 0.. {
            if let Poll::Ready(outcome) = self.poll_reply(&mut cx) {
                return outcome;
            }
            if tick == max_ticks || runtime.tick() != Tick::Ran && !runtime.counts_ticks() {
                break;
            }
        }
        Err(AskError::Timeout)
    }

    #[inline]
    fn poll_reply(&mut self, cx: &mut Context<'_>) -> Poll<Result<R, AskError>> {
        let Stage::Sent(awaited) = &mut self.stage else {
            return self.poll_otherwise(cx);
        };
        let Poll::Ready(outcome) = awaited.poll(cx.waker()) else {
            note(self.to);
            return Poll::Pending;
        };
        self.stage = Stage::Over;
        Poll::Ready(outcome)
    }

    #[cold]
    fn poll_otherwise(&mut self, cx: &mut Context<'_>) -> Poll<Result<R, AskError>> {
        if let Stage::Delivering(delivering) = &mut self.stage {
            let Delivering {
                process,
                delivery,
                awaited,
            } = &mut **delivering;
            let Poll::Ready(delivered) = delivery.poll(process, cx) else {
                note(self.to);
                return Poll::Pending;
            };
            let awaited = awaited.take();
            self.stage = match (delivered, awaited) {
                (Ok(()), Some(awaited)) => Stage::Sent(awaited),
                _ => Stage::Failed(Box::new(AskError::Gone(ExitReason::NoProcess))),
            };
        }
        match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::Sent(awaited) => {
                self.stage = Stage::Sent(awaited);
                self.poll_reply(cx)
            }
            Stage::Failed(error) => Poll::Ready(Err(*error)),
            _ => panic!("uproar: an `Ask` was polled after it had returned"),
        }
    }
}

/// Notes that the calling actor waits for a reply, for the report of a deadlock.
#[inline]
fn note(to: Pid) {
    if let Some(asker) = context::try_current() {
        // SAFETY: [P3] its code runs, so its task is unfinished.
        unsafe { runtime::Shared::of(asker) }.note_ask(asker, to);
    }
}

impl<R: Send + 'static, M: Send + 'static> Future for Ask<R, M> {
    type Output = Result<R, AskError>;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if !context::spend(1) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.poll_reply(cx)
    }
}

/// An [`Ask`] with a limit. From [`Ask::timeout`].
#[must_use = "the request is sent; await the reply, or use `send` if you want none"]
pub struct AskTimeout<R, M> {
    ask: Ask<R, M>,
    alarm: Alarm,
}

impl<R: Send + 'static, M: Send + 'static> AskTimeout<R, M> {
    /// Blocks the calling thread until the reply is there or the time is over.
    ///
    /// # Errors
    /// See [`AskError`].
    ///
    /// # Panics
    /// On a worker of a runtime, where it would block other actors: use `.await`.
    pub fn wait(self) -> Result<R, AskError> {
        runtime::block_thread(self)
    }
}

impl<R: Send + 'static, M: Send + 'static> Future for AskTimeout<R, M> {
    type Output = Result<R, AskError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        // A reply that is there when the time is over wins.
        if let Poll::Ready(outcome) = this.ask.poll_reply(cx) {
            return Poll::Ready(outcome);
        }
        std::task::ready!(this.alarm.poll(cx));
        this.ask.stage = Stage::Over;
        Poll::Ready(Err(AskError::Timeout))
    }
}
