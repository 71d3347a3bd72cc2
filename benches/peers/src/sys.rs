//! What a contender provides.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::harness::{Out, Params};

/// What an actor does after a message.
pub enum Flow<M> {
    /// Wait for the next message.
    Go,
    /// Exit.
    Stop,
    /// Sleep, then handle `M` (the system's own timer).
    After(Duration, M),
    /// Let the scheduler run others, then handle `M`.
    Again(M),
}

/// An actor, told one message at a time.
pub trait Behavior: Send + Unpin + Sized + 'static {
    type Msg: Send + 'static;
    /// Handles one message. Only `C::spawn` is ever awaited in here.
    fn on(&mut self, m: Self::Msg) -> impl Future<Output = Flow<Self::Msg>> + Send;
}

/// An actor that answers through the system's own request/reply API.
pub trait Answer: Send + Unpin + Sized + 'static {
    fn answer(&mut self, q: u64) -> u64;
}

/// A hint for systems whose actors are pinned to a thread (actix's arbiters).
#[derive(Clone, Copy)]
pub enum Place {
    /// The thread that spawns.
    Here,
    /// Thread `i` modulo the number of threads.
    At(usize),
}

/// An actor system.
pub trait Sys: Send + Sync + Sized + 'static {
    const NAME: &'static str;
    /// An actor's address. Mailboxes are unbounded.
    type Addr<B: Behavior>: Clone + Send + Sync + Unpin + 'static;
    type Server<S: Answer>: Clone + Send + Sync + Unpin + 'static;

    /// Runs `main` on the system's own threads, `workers` of them.
    fn run<T: Send + 'static>(workers: usize, main: impl Future<Output = T> + Send + 'static) -> T;
    fn spawn<B: Behavior>(b: B, at: Place) -> impl Future<Output = Self::Addr<B>> + Send;
    fn tell<B: Behavior>(to: &Self::Addr<B>, m: B::Msg);
    fn serve<S: Answer>(s: S, at: Place) -> impl Future<Output = Self::Server<S>> + Send;
    fn ask<S: Answer>(to: &Self::Server<S>, q: u64) -> impl Future<Output = u64> + Send;
    fn sleep(d: Duration) -> impl Future<Output = ()> + Send;

    /// A workload in the system's own form, for one that the common form above
    /// can't express (selective receive). `None`: it has none, the common one runs.
    fn own(workload: &str, p: &Params) -> impl Future<Output = Option<Out>> + Send {
        let _ = (workload, p);
        std::future::ready(None)
    }
}

/// A system that also has bounded mailboxes with back-pressure.
pub trait Bounded: Sys {
    type BAddr<B: Behavior>: Clone + Send + Sync + Unpin + 'static;
    fn spawn_bounded<B: Behavior>(
        b: B,
        cap: usize,
        at: Place,
    ) -> impl Future<Output = Self::BAddr<B>> + Send;
    /// Sends, waiting for room.
    fn tell_wait<B: Behavior>(to: &Self::BAddr<B>, m: B::Msg) -> impl Future<Output = ()> + Send;
}

/// Runs a future that never waits.
pub fn now<F: Future>(f: F) -> F::Output {
    match pin!(f).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(v) => v,
        Poll::Pending => panic!("this future had to be ready at once"),
    }
}
