use std::error::Error;
use std::fmt;

use super::address::Address;
use super::links::{link, monitor};
use super::traits::{Actor, Outcome};
use crate::mailbox::Mailbox;
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
    Address::new(runtime::spawn_child(parent, actor.into_send_future(), None, None).process)
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
    let spawned = runtime::spawn_child(parent, actor.into_send_future(), None, Some(Tie::Link));
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
    let spawned = runtime::spawn_child(parent, actor.into_send_future(), None, Some(Tie::Monitor));
    let monitor = spawned
        .monitor
        .unwrap_or_else(|| monitor(spawned.process.pid()));
    (Address::new(spawned.process), monitor)
}

/// How to spawn an actor, when [`spawn`] is not enough.
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
///         .spawn(async { let _: Envelope = receive().await; })?;
///     quiet.send(());
///     Ok(())
/// }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "nothing is spawned before `.spawn(actor)`"]
pub struct Spawn {
    mailbox: Option<Mailbox>,
    link: bool,
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

    /// Links it with the caller, as [`spawn_link`] does.
    ///
    /// For [`spawn`](Self::spawn) and [`spawn_monitor`](Self::spawn_monitor) within an
    /// actor; from outside there is nobody to link it with.
    pub fn link(mut self) -> Spawn {
        self.link = true;
        self
    }

    /// Spawns the actor.
    ///
    /// # Errors
    /// * [`SpawnError::ShuttingDown`]: the runtime takes no new actors.
    ///
    /// # Panics
    /// Outside an actor; use [`Handle::spawn_with`](crate::Handle::spawn_with) there.
    pub fn spawn<A>(self, actor: A) -> Result<Address<A::Protocol>, SpawnError>
    where
        A: Actor,
        A::Future: Send + 'static,
        A::Output: Outcome,
    {
        let tie = self.link.then_some(Tie::Link);
        Ok(Address::new(self.spawn_tied(actor, tie)?.process))
    }

    /// Spawns the actor and monitors it, as the free function
    /// [`spawn_monitor`](crate::spawn_monitor()) does.
    ///
    /// # Errors
    /// * [`SpawnError::ShuttingDown`]: the runtime takes no new actors.
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
        let tie = if self.link {
            Tie::LinkAndMonitor
        } else {
            Tie::Monitor
        };
        let spawned = self.spawn_tied(actor, Some(tie))?;
        let monitor = spawned.monitor.expect("asked for");
        Ok((Address::new(spawned.process), monitor))
    }

    fn spawn_tied<A>(self, actor: A, tie: Option<Tie>) -> Result<Spawned, SpawnError>
    where
        A: Actor,
        A::Future: Send + 'static,
        A::Output: Outcome,
    {
        let parent = context::current("Spawn::spawn", "`Handle::spawn_with`");
        context::overdraw();
        let future = actor.into_send_future();
        let spawned = runtime::spawn_child(parent, future, self.mailbox, tie);
        if spawned.accepted {
            Ok(spawned)
        } else {
            Err(SpawnError::ShuttingDown)
        }
    }

    pub(crate) fn chosen_mailbox(&self) -> Option<Mailbox> {
        self.mailbox
    }
}

/// Why an actor was not spawned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SpawnError {
    /// The runtime is shutting down, or has.
    ShuttingDown,
}

impl fmt::Display for SpawnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpawnError::ShuttingDown => f.write_str("the runtime is shutting down"),
        }
    }
}

impl Error for SpawnError {}
