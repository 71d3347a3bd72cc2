use std::error::Error;
use std::fmt;

use super::address::Address;
use super::traits::{Actor, Outcome};
use crate::mailbox::Mailbox;
use crate::runtime;
use crate::scheduler::context;

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
    let future = actor.into_send_future();
    Address::new(runtime::spawn_child(parent, future, None).0)
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
        let parent = context::current("Spawn::spawn", "`Handle::spawn_with`");
        context::overdraw();
        let (process, accepted) =
            runtime::spawn_child(parent, actor.into_send_future(), self.mailbox);
        if accepted {
            Ok(Address::new(process))
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
