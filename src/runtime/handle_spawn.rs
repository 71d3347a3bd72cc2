//! Spawning from outside of actors.

use super::handle::Handle;
use super::place::{How, Place};
use crate::actor::{Actor, Address, NoSuchWorker, Outcome, Spawn, SpawnError, WorkerId, shell};
use crate::process::Kind;

impl Handle {
    /// Spawns an actor: on the worker with the shorter queue, of two random ones.
    ///
    /// When the runtime shuts down, or has, the actor is dropped and the address is
    /// that of a dead one; [`spawn_with`](Self::spawn_with) says so.
    pub fn spawn<A>(&self, actor: A) -> Address<A::Protocol>
    where
        A: Actor,
        A::Future: Send + 'static,
        A::Output: Outcome,
    {
        self.spawn_at(Place::Anywhere, actor)
            .expect("any worker will do")
    }

    /// Spawns an actor that stays on one worker for life: [`spawn_pinned`](crate::spawn_pinned())
    /// for code outside of actors.
    ///
    /// On which one is the runtime's choice; [`worker_id`](crate::worker_id()) tells the
    /// actor. On a worker's own thread it is that worker.
    ///
    /// Source: R53.
    pub fn spawn_pinned<A>(&self, actor: A) -> Address<A::Protocol>
    where
        A: Actor,
        A::Future: Send + 'static,
        A::Output: Outcome,
    {
        self.spawn_at(Place::Pinned, actor)
            .expect("any worker will do")
    }

    /// Spawns an actor that stays on this worker for life.
    ///
    /// # Errors
    /// * [`NoSuchWorker`]: the runtime has fewer workers.
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::{Runtime, prelude::*};
    ///
    /// let runtime = Runtime::builder().workers(2).start().unwrap();
    /// let inbox = runtime.inbox::<Option<WorkerId>>();
    /// for worker in runtime.workers() {
    ///     let to = inbox.address();
    ///     runtime.spawn_pinned_on(worker, async move { to.send(worker_id()) }).unwrap();
    ///     assert_eq!(inbox.recv_timeout(Duration::from_secs(10)), Ok(Some(worker)));
    /// }
    /// assert!(runtime.spawn_pinned_on(WorkerId::new(2), async {}).is_err());
    /// ```
    pub fn spawn_pinned_on<A>(
        &self,
        worker: WorkerId,
        actor: A,
    ) -> Result<Address<A::Protocol>, NoSuchWorker>
    where
        A: Actor,
        A::Future: Send + 'static,
        A::Output: Outcome,
    {
        match self.spawn_at(Place::PinnedOn(worker), actor) {
            Err(SpawnError::NoSuchWorker(error)) => Err(error),
            spawned => Ok(spawned.expect("the worker is there")),
        }
    }

    /// Spawns an actor that need not be `Send`, on one worker for life: see
    /// [`spawn_pinned_local`](crate::spawn_pinned_local()).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::{cell::Cell, rc::Rc};
    /// use uproar::{Runtime, prelude::*};
    ///
    /// let runtime = Runtime::builder().workers(2).start().unwrap();
    /// let counter = runtime.spawn_pinned_local(|| {
    ///     let count = Rc::new(Cell::new(0u64));
    ///     async move {
    ///         loop {
    ///             let Typed(reply_to) = receive::<Typed<ReplyTo<u64>>>().await;
    ///             count.set(count.get() + 1);
    ///             reply_to.send(count.get());
    ///         }
    ///     }
    /// });
    /// assert_eq!(counter.ask(|reply_to: ReplyTo<u64>| reply_to).wait(), Ok(1));
    /// ```
    pub fn spawn_pinned_local<B, A>(&self, build: B) -> Address<A::Protocol>
    where
        B: FnOnce() -> A + Send + 'static,
        A: Actor,
        A::Future: 'static,
        A::Output: Outcome,
    {
        let (future, kind) = shell(build);
        let spawned = self.shared.spawn_as(future, Place::Pinned.into(), kind);
        Address::new(spawned.expect("any worker will do").process)
    }

    /// Spawns an actor that may block the thread it runs on:
    /// [`spawn_blocked`](crate::spawn_blocked()) for code outside of actors.
    ///
    /// Source: R54.
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::{Runtime, prelude::*};
    ///
    /// let runtime = Runtime::builder().workers(1).start().unwrap();
    /// let inbox = runtime.inbox();
    /// let to = inbox.address();
    /// runtime.spawn_blocked(async move {
    ///     to.send(std::fs::read_to_string("Cargo.toml").is_ok());
    /// });
    /// assert_eq!(inbox.recv_timeout(Duration::from_secs(10)), Ok(true));
    /// ```
    pub fn spawn_blocked<A>(&self, actor: A) -> Address<A::Protocol>
    where
        A: Actor,
        A::Future: Send + 'static,
        A::Output: Outcome,
    {
        self.spawn_at(Place::Blocked, actor)
            .expect("lanes have no bound of their line")
    }

    fn spawn_at<A>(&self, place: Place, actor: A) -> Result<Address<A::Protocol>, SpawnError>
    where
        A: Actor,
        A::Future: Send + 'static,
        A::Output: Outcome,
    {
        let future = actor.into_send_future();
        let kind = Kind::with::<A::Protocol, _>(&future);
        let spawned = self.shared.spawn_as(future, place.into(), kind)?;
        Ok(Address::new(spawned.process))
    }

    /// Spawns an actor as `how` says.
    ///
    /// # Errors
    /// * [`SpawnError::ShuttingDown`]: the runtime takes no new actors.
    /// * [`SpawnError::NoSuchWorker`]: the runtime has fewer workers.
    /// * [`SpawnError::NoThread`]: it was to be dedicated, and the OS gives no thread.
    /// * [`SpawnError::NameTaken`]: another actor has its name.
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::{Runtime, prelude::*};
    ///
    /// let runtime = Runtime::builder().workers(1).start().unwrap();
    /// let small = Spawn::new().mailbox(Mailbox::bounded(1));
    /// let actor = runtime.spawn_with(&small, std::future::pending::<()>()).unwrap();
    /// assert_eq!(actor.try_send(1), Ok(()));
    /// assert_eq!(actor.try_send(2), Err(SendError::Full(2)));
    ///
    /// runtime.shutdown(Duration::ZERO);
    /// let late = runtime.spawn_with(&small, async {});
    /// assert_eq!(late.unwrap_err(), SpawnError::ShuttingDown);
    /// ```
    pub fn spawn_with<A>(&self, how: &Spawn, actor: A) -> Result<Address<A::Protocol>, SpawnError>
    where
        A: Actor,
        A::Future: Send + 'static,
        A::Output: Outcome,
    {
        let future = actor.into_send_future();
        let kind = Kind::with::<A::Protocol, _>(&future);
        let how = How {
            tie: None,
            ..how.how()
        };
        self.shared
            .spawn_as(future, how, kind)?
            .accepted()
            .map(Address::new)
    }

    /// Spawns an actor that need not be `Send` as `how` says: see
    /// [`Spawn::spawn_local`].
    ///
    /// # Errors
    /// As for [`spawn_with`](Self::spawn_with).
    pub fn spawn_local_with<B, A>(
        &self,
        how: &Spawn,
        build: B,
    ) -> Result<Address<A::Protocol>, SpawnError>
    where
        B: FnOnce() -> A + Send + 'static,
        A: Actor,
        A::Future: 'static,
        A::Output: Outcome,
    {
        let (future, kind) = shell(build);
        let how = How {
            tie: None,
            ..how.local_how()
        };
        self.shared
            .spawn_as(future, how, kind)?
            .accepted()
            .map(Address::new)
    }
}
