use std::error::Error;
use std::fmt;
use std::sync::Arc;

use super::address::Address;
use super::links::{link, monitor};
use super::place::NoSuchWorker;
use super::traits::{Actor, Outcome};
use crate::process::{Kind, Pid, Process};
use crate::runtime::{self, Spawned, Tie};
use crate::scheduler::context;
use crate::signals::MonitorRef;

/// Spawns an actor, which runs on any worker of the caller's runtime.
///
/// The address can be sent to at once, whether or not the actor has run. When the
/// runtime shuts down nothing is spawned any more: the actor is dropped, and the
/// address is that of a dead one.
///
/// # Panics
/// Outside an actor; use [`Handle::spawn`](crate::Handle::spawn) there.
///
/// Source: R5; Erlang's `spawn`.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() {
///     let parent = self_address::<Anything>();
///     spawn(async move { parent.send("done") });
///     let Typed(word) = receive::<Typed<&str>>().await;
///     assert_eq!(word, "done");
/// }
/// ```
#[inline]
pub fn spawn<A>(actor: A) -> Address<A::Protocol>
where
    A: Actor,
    A::Future: Send + 'static,
    A::Output: Outcome,
{
    let parent = context::current("spawn", "`Runtime::spawn` or `Handle::spawn`");
    context::overdraw();
    Address::new(child(parent, actor, None).process)
}

/// Spawns an actor and links it with the caller, in one step.
///
/// However soon the child ends, its exit signal comes. While the runtime shuts down nothing
/// is spawned, and the signal is `NoProcess`.
///
/// # Panics
/// Outside an actor.
///
/// Source: R22; Erlang's `spawn_link`.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// let reason = uproar::run(async {
///     spawn_link(async { Err::<(), _>("no disk") });
///     std::future::pending::<()>().await
/// });
/// assert_eq!(reason.to_string(), "error: no disk");
/// ```
pub fn spawn_link<A>(actor: A) -> Address<A::Protocol>
where
    A: Actor,
    A::Future: Send + 'static,
    A::Output: Outcome,
{
    let parent = context::current("spawn_link", "`Handle::spawn`, without a link,");
    context::overdraw();
    let spawned = child(parent, actor, Some(Tie::Link));
    if !spawned.accepted {
        link(spawned.process.pid());
    }
    Address::new(spawned.process)
}

/// Spawns an actor and monitors it, in one step.
///
/// However soon the child ends, its [`Down`](crate::Down) comes. While the runtime shuts
/// down nothing is spawned, and its reason is `NoProcess`.
///
/// # Panics
/// Outside an actor.
///
/// Source: R22; Erlang's `spawn_monitor`.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() {
///     let (child, monitor) = spawn_monitor(async {});
///     let down: Down = receive().await;
///     assert_eq!((down.pid, down.monitor), (child.pid(), monitor));
///     assert_eq!(down.reason, ExitReason::Normal);
/// }
/// ```
pub fn spawn_monitor<A>(actor: A) -> (Address<A::Protocol>, MonitorRef)
where
    A: Actor,
    A::Future: Send + 'static,
    A::Output: Outcome,
{
    let parent = context::current("spawn_monitor", "`Handle::spawn`, without a monitor,");
    context::overdraw();
    let spawned = child(parent, actor, Some(Tie::Monitor));
    let monitor = spawned
        .monitor
        .unwrap_or_else(|| monitor(spawned.process.pid()));
    (Address::new(spawned.process), monitor)
}

#[inline]
fn child<A>(parent: &Process, actor: A, tie: Option<Tie>) -> Spawned
where
    A: Actor,
    A::Future: Send + 'static,
    A::Output: Outcome,
{
    let future = actor.into_send_future();
    let kind = Kind::with::<A::Protocol, _>(&future);
    runtime::spawn_child(parent, future, kind, tie)
}

/// Why an actor was not spawned.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SpawnError {
    /// The runtime is shutting down, or has.
    ShuttingDown,
    /// It was to be pinned to a worker that the runtime does not have.
    NoSuchWorker(NoSuchWorker),
    /// It was to have a thread of its own, which the operating system refused.
    NoThread,
    /// It was to have a name that another actor has.
    #[non_exhaustive]
    NameTaken {
        /// The name.
        name: Arc<str>,
        /// Who has it.
        by: Pid,
    },
}

impl From<NoSuchWorker> for SpawnError {
    fn from(error: NoSuchWorker) -> SpawnError {
        SpawnError::NoSuchWorker(error)
    }
}

impl fmt::Display for SpawnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpawnError::ShuttingDown => f.write_str("the runtime is shutting down"),
            SpawnError::NoSuchWorker(error) => error.fmt(f),
            SpawnError::NoThread => f.write_str("the operating system gives no more threads"),
            SpawnError::NameTaken { name, by } => write!(f, "the name {name:?} is taken by {by}"),
        }
    }
}

impl Error for SpawnError {}
