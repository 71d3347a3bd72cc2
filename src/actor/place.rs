//! Actors with a place of their own: a worker for life, or a thread that may block.

use std::error::Error;
use std::fmt;
use std::future::Future;

use super::address::Address;
use super::local::Local;
use super::own::WorkerId;
use super::spawn::SpawnError;
use super::traits::{Actor, Outcome};
use crate::process::Kind;
use crate::runtime::{Place, Shared, Spawned};
use crate::scheduler::context;

/// Spawns an actor that stays on the calling worker for life.
///
/// Nobody steals it, so what it shares with others of the same worker stays in one core's
/// cache; nor does anybody take over for it when its worker is stuck. Prefer
/// [`spawn`](crate::spawn()) where that does not matter. Pinned actors and others share a
/// worker: one in five slices goes to the pinned at least, and four to the others.
///
/// A blocking actor has no worker: called there, it picks one.
///
/// # Panics
/// Outside an actor; use [`Handle::spawn_pinned`](crate::Handle::spawn_pinned) there.
///
/// Source: R53.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() {
///     let (home, me) = (worker_id(), self_address::<Anything>());
///     spawn_pinned(async move {
///         yield_now().await;
///         me.send(worker_id() == home);
///     });
///     let Typed(same) = receive::<Typed<bool>>().await;
///     assert!(same);
/// }
/// ```
pub fn spawn_pinned<A>(actor: A) -> Address<A::Protocol>
where
    A: Actor,
    A::Future: Send + 'static,
    A::Output: Outcome,
{
    let shared = runtime_of("spawn_pinned", "`Handle::spawn_pinned`");
    let spawned = spawn_at(shared, Place::Pinned, actor);
    Address::new(spawned.expect("any worker will do").process)
}

/// Spawns an actor that stays on this worker of the caller's runtime for life.
///
/// # Errors
/// * [`NoSuchWorker`]: the runtime has fewer workers.
///
/// # Panics
/// Outside an actor; use [`Handle::spawn_pinned_on`](crate::Handle::spawn_pinned_on) there.
///
/// Source: R53.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// let reason = uproar::Runtime::builder().workers(2).run(async {
///     let me = self_address::<Anything>();
///     let there = WorkerId::new(1);
///     spawn_pinned_on(there, async move { me.send(worker_id()) })?;
///     let Typed(ran_on) = receive::<Typed<Option<WorkerId>>>().await;
///     assert_eq!(ran_on, Some(there));
///
///     spawn_pinned_on(WorkerId::new(99), async {}).map(drop)
/// });
/// assert_eq!(reason.to_string(), "error: there is no worker 99: the runtime has 2");
/// ```
pub fn spawn_pinned_on<A>(worker: WorkerId, actor: A) -> Result<Address<A::Protocol>, NoSuchWorker>
where
    A: Actor,
    A::Future: Send + 'static,
    A::Output: Outcome,
{
    let shared = runtime_of("spawn_pinned_on", "`Handle::spawn_pinned_on`");
    match spawn_at(shared, Place::PinnedOn(worker), actor) {
        Err(SpawnError::NoSuchWorker(error)) => Err(error),
        spawned => Ok(Address::new(spawned.expect("the worker is there").process)),
    }
}

/// Spawns an actor that need not be `Send`, on the calling worker for life.
///
/// The closure is `Send`, and makes the actor on the worker's thread when the actor runs
/// for the first time. What it makes may hold `Rc`, `RefCell` and the like: it is polled
/// there and dropped there, however it ends. An actor that ends before it has run never
/// calls the closure, which is then dropped on some thread.
///
/// For `#[actor(local)]` functions and structs; to choose the worker, or a thread that may
/// be blocked, see [`Spawn::spawn_local`](crate::Spawn::spawn_local).
///
/// A manual runtime is polled by whoever ticks it: ticked on another thread than before, a
/// local actor ends with a panic, and its future is leaked, since it may not be dropped there.
///
/// # Panics
/// Outside an actor; use [`Handle::spawn_pinned_local`](crate::Handle::spawn_pinned_local)
/// there.
///
/// # Examples
///
/// ```
/// use std::{cell::RefCell, rc::Rc};
/// use uproar::prelude::*;
///
/// struct Word(&'static str);
/// struct Text(ReplyTo<String>);
///
/// #[actor(local)]
/// async fn writer(text: Rc<RefCell<String>>) {
///     loop {
///         #[receive]
///         match receive().await {
///             Word(word) => text.borrow_mut().push_str(word),
///             Text(reply_to) => reply_to.send(text.borrow().clone()),
///         }
///     }
/// }
///
/// #[uproar::main]
/// async fn main() -> Result<(), AskError> {
///     let writer = spawn_pinned_local(|| writer(Rc::default()));
///     writer.send(Word("ink"));
///     assert_eq!(writer.ask(Text).await?, "ink");
///     Ok(())
/// }
/// ```
pub fn spawn_pinned_local<B, A>(build: B) -> Address<A::Protocol>
where
    B: FnOnce() -> A + Send + 'static,
    A: Actor,
    A::Future: 'static,
    A::Output: Outcome,
{
    let shared = runtime_of("spawn_pinned_local", "`Handle::spawn_pinned_local`");
    let (future, kind) = shell(build);
    let spawned = shared.spawn_as(future, Place::Pinned.into(), kind);
    Address::new(spawned.expect("any worker will do").process)
}

/// Spawns an actor that may block the thread it runs on: on files, locks, long
/// computations, libraries that wait.
///
/// It runs on a lane, a thread of a pool that grows with need up to
/// [`Builder::blocking_threads`](crate::Builder::blocking_threads), and so delays no other
/// actor. A lane is held only while the actor runs: it is free while the actor awaits
/// something, and after the await it may be another thread. When all lanes are busy, actors
/// wait in line. To have one thread for life, see [`Spawn::dedicated`](crate::Spawn::dedicated).
///
/// All else is as for any actor: its mailbox, links, timers, and what it may call. Also
/// [`Ask::wait`](crate::Ask::wait), which blocks. It has no [`worker_id`](crate::worker_id()).
/// Killed inside its code it counts as dead at once, and its future is dropped when the
/// code returns (R31). A hop to a lane and back costs some microseconds; for short work
/// that does not block use [`spawn`](crate::spawn()).
///
/// # Panics
/// Outside an actor; use [`Handle::spawn_blocked`](crate::Handle::spawn_blocked) there.
///
/// Source: R54.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// struct Size(&'static str, ReplyTo<Option<u64>>);
///
/// #[actor]
/// async fn files() {
///     loop {
///         #[receive]
///         match receive().await {
///             Size(path, reply_to) => {
///                 let size = std::fs::metadata(path).map(|file| file.len());    // blocks
///                 reply_to.send(size.ok());
///             }
///         }
///     }
/// }
///
/// #[uproar::main]
/// async fn main() -> Result<(), AskError> {
///     let files = spawn_blocked(files());
///     assert!(files.ask(|reply_to| Size("Cargo.toml", reply_to)).await?.is_some());
///     Ok(())
/// }
/// ```
pub fn spawn_blocked<A>(actor: A) -> Address<A::Protocol>
where
    A: Actor,
    A::Future: Send + 'static,
    A::Output: Outcome,
{
    let shared = runtime_of("spawn_blocked", "`Handle::spawn_blocked`");
    let spawned = spawn_at(shared, Place::Blocked, actor);
    Address::new(spawned.expect("lanes have no bound of their line").process)
}

/// The caller's runtime, for a call that can't wait.
pub(crate) fn runtime_of<'a>(call: &str, instead: &str) -> &'a Shared {
    let caller = context::current(call, instead);
    context::overdraw();
    Shared::of_caller(caller)
}

fn spawn_at<A>(shared: &Shared, place: Place, actor: A) -> Result<Spawned, SpawnError>
where
    A: Actor,
    A::Future: Send + 'static,
    A::Output: Outcome,
{
    let future = actor.into_send_future();
    let kind = Kind::with::<A::Protocol, _>(&future);
    shared.spawn_as(future, place.into(), kind)
}

/// The future of an actor that is built where it runs, and what the types say of it.
pub(crate) fn shell<B, A>(build: B) -> (impl Future<Output = A::Output> + Send + 'static, Kind)
where
    B: FnOnce() -> A + Send + 'static,
    A: Actor,
    A::Future: 'static,
{
    fn kind<P: 'static, B, F>(_: &Local<B, F>) -> Kind {
        Kind::of::<P, F>()
    }
    let local = Local::new(move || build().into_future());
    let kind = kind::<A::Protocol, _, _>(&local);
    (local, kind)
}

/// There is no worker with this number.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// let runtime = uproar::Runtime::builder().workers(1).manual();
/// let error = runtime.spawn_pinned_on(WorkerId::new(1), async {}).unwrap_err();
/// assert_eq!((error.worker, error.workers), (WorkerId::new(1), 1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct NoSuchWorker {
    /// The worker that was asked for.
    pub worker: WorkerId,
    /// How many there are: the last is one less.
    pub workers: usize,
}

impl NoSuchWorker {
    pub(crate) fn new(worker: WorkerId, workers: usize) -> NoSuchWorker {
        NoSuchWorker { worker, workers }
    }
}

impl fmt::Display for NoSuchWorker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NoSuchWorker { worker, workers } = self;
        write!(f, "there is no worker {worker}: the runtime has {workers}")
    }
}

impl Error for NoSuchWorker {}
