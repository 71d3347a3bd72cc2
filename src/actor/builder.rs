use std::future::Future;
use std::sync::Arc;

use super::address::Address;
use super::own::WorkerId;
use super::place::shell;
use super::spawn::SpawnError;
use super::traits::{Actor, Outcome};
use crate::mailbox::Mailbox;
use crate::process::Kind;
use crate::runtime::{How, Place, Shared, Spawned, Tie};
use crate::scheduler::context;
use crate::signals::MonitorRef;

/// How to spawn an actor, when [`spawn`](crate::spawn()) is not enough.
///
/// An ordinary actor, unless something is said: which mailbox, what ties, a name, and one place:
/// of `pinned`, `pinned_on`, `blocked` and `dedicated` the last one counts.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() -> Result<(), SpawnError> {
///     let quiet = Spawn::new()
///         .mailbox(Mailbox::bounded(64))
///         .pinned()
///         .spawn(async { let _: Envelope = receive().await; })?;
///     quiet.send(());
///     Ok(())
/// }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "nothing is spawned before `.spawn(actor)`"]
pub struct Spawn {
    mailbox: Option<Mailbox>,
    place: Place,
    link: bool,
    name: Option<Arc<str>>,
}

impl Spawn {
    /// An ordinary actor: what the free function [`spawn`](crate::spawn()) spawns.
    pub fn new() -> Spawn {
        Spawn::default()
    }

    /// Its mailbox; without this call it is the runtime's default.
    pub fn mailbox(mut self, mailbox: Mailbox) -> Spawn {
        self.mailbox = Some(mailbox);
        self
    }

    /// Keeps it on the caller's worker for life, as [`spawn_pinned`](crate::spawn_pinned())
    /// does.
    pub fn pinned(mut self) -> Spawn {
        self.place = Place::Pinned;
        self
    }

    /// Keeps it on this worker for life, as [`spawn_pinned_on`](crate::spawn_pinned_on())
    /// does.
    pub fn pinned_on(mut self, worker: WorkerId) -> Spawn {
        self.place = Place::PinnedOn(worker);
        self
    }

    /// Lets it block the thread that it runs on, as [`spawn_blocked`](crate::spawn_blocked())
    /// does.
    pub fn blocked(mut self) -> Spawn {
        self.place = Place::Blocked;
        self
    }

    /// Gives it a thread of its own for life, which it may block: for libraries that are
    /// bound to one thread, or keep things in thread-locals.
    ///
    /// The thread starts with the spawn, ends with the actor, and is one beside those of
    /// [`Builder::blocking_threads`](crate::Builder::blocking_threads). With
    /// [`spawn_local`](Self::spawn_local) the actor need not be `Send`.
    ///
    /// Source: R54.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::cell::Cell;
    /// use uproar::prelude::*;
    ///
    /// thread_local!(static CALLS: Cell<u32> = const { Cell::new(0) });
    ///
    /// struct Call(ReplyTo<u32>);
    ///
    /// #[actor]
    /// async fn library() {
    ///     loop {
    ///         #[receive]
    ///         match receive().await {
    ///             Call(reply_to) => reply_to.send(CALLS.replace(CALLS.get() + 1)),
    ///         }
    ///     }
    /// }
    ///
    /// #[uproar::main]
    /// async fn main() -> Result<(), Box<dyn std::error::Error>> {
    ///     let library = Spawn::new().dedicated().spawn(library())?;
    ///     for n in 0..3 {
    ///         assert_eq!(library.ask(Call).await?, n);
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn dedicated(mut self) -> Spawn {
        self.place = Place::Dedicated;
        self
    }

    /// Links it with the caller, as [`spawn_link`](crate::spawn_link()) does.
    ///
    /// For the calls within an actor; from outside there is nobody to link it with.
    pub fn link(mut self) -> Spawn {
        self.link = true;
        self
    }

    /// Gives it a name, under which others find it before it has run: see
    /// [`register`](crate::register()).
    ///
    /// That is one step with the spawn. If the name is taken, no actor comes into being: its code
    /// never runs, nobody is linked with it or told of its end, and the spawn is an error.
    ///
    /// Source: R43; Erlang's `gen_server:start({local, Name}, ..)`.
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
    ///     loop {
    ///         #[receive]
    ///         match receive().await {
    ///             Line(line) => println!("{line}"),
    ///         }
    ///     }
    /// }
    ///
    /// #[uproar::main]
    /// async fn main() -> Result<(), SpawnError> {
    ///     let first = Spawn::new().name("printer").spawn(printer())?;
    ///     assert_eq!(where_is("printer"), Some(first.pid()));
    ///
    ///     let second = Spawn::new().name("printer").spawn(printer());
    ///     let Err(SpawnError::NameTaken { by, .. }) = second else { panic!("one is enough") };
    ///     assert_eq!(by, first.pid());
    ///     Ok(())
    /// }
    /// ```
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Spawn {
        self.name = Some(name.into());
        self
    }

    /// Spawns the actor.
    ///
    /// # Errors
    /// * [`SpawnError::ShuttingDown`]: the runtime takes no new actors.
    /// * [`SpawnError::NoSuchWorker`]: the runtime has fewer workers.
    /// * [`SpawnError::NoThread`]: it was to be dedicated, and the OS gives no thread.
    /// * [`SpawnError::NameTaken`]: another actor has its name.
    ///
    /// # Panics
    /// Outside an actor; use [`Handle::spawn_with`](crate::Handle::spawn_with) there.
    pub fn spawn<A>(self, actor: A) -> Result<Address<A::Protocol>, SpawnError>
    where
        A: Actor,
        A::Future: Send + 'static,
        A::Output: Outcome,
    {
        let future = actor.into_send_future();
        let kind = Kind::with::<A::Protocol, _>(&future);
        Ok(Address::new(spawn(future, kind, self.how())?.process))
    }

    /// Spawns the actor and monitors it, as the free function
    /// [`spawn_monitor`](crate::spawn_monitor()) does.
    ///
    /// # Errors
    /// As for [`spawn`](Self::spawn).
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
    /// async fn main() -> Result<(), SpawnError> {
    ///     let small = Spawn::new().mailbox(Mailbox::bounded(8));
    ///     let (_child, monitor) = small.spawn_monitor(async {})?;
    ///     let down: Down = receive().await;
    ///     assert_eq!(down.monitor, monitor);
    ///     Ok(())
    /// }
    /// ```
    pub fn spawn_monitor<A>(
        self,
        actor: A,
    ) -> Result<(Address<A::Protocol>, MonitorRef), SpawnError>
    where
        A: Actor,
        A::Future: Send + 'static,
        A::Output: Outcome,
    {
        let future = actor.into_send_future();
        let kind = Kind::with::<A::Protocol, _>(&future);
        Ok(monitored(spawn(future, kind, self.how().monitored())?))
    }

    /// Spawns an actor that need not be `Send`, as
    /// [`spawn_pinned_local`](crate::spawn_pinned_local()) does: the closure makes it on the
    /// thread that it then keeps.
    ///
    /// That is the caller's worker, unless [`pinned_on`](Self::pinned_on) says another, or
    /// [`dedicated`](Self::dedicated) a thread of its own; [`blocked`](Self::blocked) says
    /// the same, since other lanes could not run it.
    ///
    /// # Errors
    /// As for [`spawn`](Self::spawn).
    ///
    /// # Panics
    /// Outside an actor; use [`Handle::spawn_local_with`](crate::Handle::spawn_local_with)
    /// there.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::rc::Rc;
    /// use uproar::prelude::*;
    ///
    /// #[uproar::main]
    /// async fn main() -> Result<(), SpawnError> {
    ///     let me = self_address::<Anything>();
    ///     Spawn::new().pinned_on(WorkerId::new(0)).link().spawn_local(move || {
    ///         let text = Rc::new("not Send");
    ///         async move {
    ///             yield_now().await;
    ///             me.send(text.len());
    ///         }
    ///     })?;
    ///     assert_eq!(receive::<Typed<usize>>().await, Typed(8));
    ///     Ok(())
    /// }
    /// ```
    pub fn spawn_local<B, A>(self, build: B) -> Result<Address<A::Protocol>, SpawnError>
    where
        B: FnOnce() -> A + Send + 'static,
        A: Actor,
        A::Future: 'static,
        A::Output: Outcome,
    {
        let (future, kind) = shell(build);
        Ok(Address::new(spawn(future, kind, self.local_how())?.process))
    }

    /// Spawns an actor that need not be `Send`, and monitors it.
    ///
    /// # Errors
    /// As for [`spawn`](Self::spawn).
    ///
    /// # Panics
    /// Outside an actor.
    pub fn spawn_local_monitor<B, A>(
        self,
        build: B,
    ) -> Result<(Address<A::Protocol>, MonitorRef), SpawnError>
    where
        B: FnOnce() -> A + Send + 'static,
        A: Actor,
        A::Future: 'static,
        A::Output: Outcome,
    {
        let (future, kind) = shell(build);
        Ok(monitored(spawn(
            future,
            kind,
            self.local_how().monitored(),
        )?))
    }

    pub(crate) fn how(&self) -> How<'_> {
        How {
            mailbox: self.mailbox,
            place: self.place,
            tie: self.link.then_some(Tie::Link),
            name: self.name.as_ref(),
        }
    }

    /// The same for an actor that stays on one thread.
    pub(crate) fn local_how(&self) -> How<'_> {
        How {
            place: self.place.on_one_thread(),
            ..self.how()
        }
    }
}

impl How<'_> {
    fn monitored(self) -> Self {
        How {
            tie: Some(match self.tie {
                None => Tie::Monitor,
                Some(_) => Tie::LinkAndMonitor,
            }),
            ..self
        }
    }
}

fn monitored<P>(spawned: Spawned) -> (Address<P>, MonitorRef) {
    let monitor = spawned.monitor.expect("asked for");
    (Address::new(spawned.process), monitor)
}

fn spawn<F>(future: F, kind: Kind, how: How<'_>) -> Result<Spawned, SpawnError>
where
    F: Future<Output: Outcome> + Send + 'static,
{
    let caller = context::current("Spawn::spawn", "`Handle::spawn_with`");
    context::overdraw();
    let spawned = Shared::of_caller(caller).spawn_as(future, how, kind)?;
    if spawned.accepted {
        Ok(spawned)
    } else {
        Err(SpawnError::ShuttingDown)
    }
}
