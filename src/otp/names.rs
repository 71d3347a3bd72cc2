//! Registered names, in the words users type, within actors and outside.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::actor::{Address, SendError, runtime_of, try_send};
use crate::process::Pid;
use crate::runtime::{Handle, NotRegistered, Shared};

/// Why an actor was not given a name.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() -> Result<(), RegisterError> {
///     register("main", self_pid())?;
///     let again = register("the same one", self_pid()).unwrap_err();
///     assert!(matches!(again, RegisterError::AlreadyNamed { .. }));
///
///     let other = spawn(std::future::pending::<()>());
///     let taken = register("main", &other).unwrap_err();
///     assert!(matches!(&taken, RegisterError::Taken { by, .. } if *by == self_pid()));
///     assert!(taken.to_string().starts_with(r#"the name "main" is taken by <0."#));
///
///     kill(&other);
///     assert_eq!(register("other", &other), Err(RegisterError::NoProcess));
///     Ok(())
/// }
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RegisterError {
    /// Somebody has the name, and keeps it.
    #[non_exhaustive]
    Taken {
        /// The name.
        name: Arc<str>,
        /// Who has it: another actor, or the very one that was to get it.
        by: Pid,
    },
    /// The actor has a name, and keeps that.
    #[non_exhaustive]
    AlreadyNamed {
        /// The name that it has.
        name: Arc<str>,
    },
    /// The actor is dead, or never was, or is of another runtime. Also when the caller itself
    /// has been counted dead in the middle of its code.
    NoProcess,
    /// The runtime is shutting down, or has, and the caller is no actor of it.
    ShuttingDown,
}

impl fmt::Display for RegisterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegisterError::Taken { name, by } => write!(f, "the name {name:?} is taken by {by}"),
            RegisterError::AlreadyNamed { name } => {
                write!(f, "the actor already has the name {name:?}")
            }
            RegisterError::NoProcess => f.write_str("there is no such actor to be named"),
            RegisterError::ShuttingDown => f.write_str("the runtime is shutting down"),
        }
    }
}

impl Error for RegisterError {}

/// Gives an actor a name, under which every actor of the runtime finds it.
///
/// For the few that all the others have to know, and for those that are looked up by a key; pass
/// addresses where you can. A name belongs to one actor, and an actor has one name. Anyone may
/// register anyone, also an [`Inbox`](crate::Inbox), by its [`Recipient`](crate::Recipient). To
/// spawn and register in one step use [`Spawn::name`](crate::Spawn::name).
///
/// Any text is a name, and two are the same if they are equal byte for byte. Each runtime has
/// names of its own.
///
/// The name is free again when [`unregister`] takes it away, or its actor is dead, in
/// whatever way that has come: from the moment of a [`kill`](crate::kill()) on, and else when the end
/// is decided. So when a [`Down`](crate::Down) or an [`Exit`](crate::Exit) of the actor comes,
/// [`where_is`] is `None` and the name can be registered again. (That it is free does not
/// say that all destructors of the one before have run; its `Down` does, unless that was killed in
/// the middle of its code.)
///
/// # Errors
/// * [`RegisterError::Taken`]: somebody has the name.
/// * [`RegisterError::AlreadyNamed`]: the actor has another.
/// * [`RegisterError::NoProcess`]: the actor is dead.
///
/// # Panics
/// Outside an actor; use [`Handle::register`](crate::Handle::register) there.
///
/// Source: R29, R43; Erlang's `register/2`.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() -> Result<(), RegisterError> {
///     let logger = spawn(async { let _: Envelope = receive().await; });
///     register("logger", &logger)?;
///     assert_eq!(where_is("logger"), Some(logger.pid()));
///
///     let monitor = monitor(&logger);
///     send_named("logger", "the last line").unwrap();
///     receive_if(move |down: &Down| down.monitor == monitor).await;
///     assert_eq!(where_is("logger"), None);
///     register("logger", self_pid())
/// }
/// ```
pub fn register(name: impl Into<Arc<str>>, actor: impl Into<Pid>) -> Result<(), RegisterError> {
    let shared = runtime_of("register", "`Handle::register`");
    register_in(shared, name.into(), actor.into())
}

/// Takes a name away from whoever has it. Who that was; `None` if it was free.
///
/// Any actor may. The one who had it lives on, and may be given another.
///
/// # Panics
/// Outside an actor; use [`Handle::unregister`](crate::Handle::unregister) there.
///
/// Source: Erlang's `unregister/1`, which fails when the name is free.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() -> Result<(), RegisterError> {
///     register("primary", self_pid())?;
///     assert_eq!(unregister("primary"), Some(self_pid()));
///     assert_eq!(unregister("primary"), None);
///     register("secondary", self_pid())
/// }
/// ```
pub fn unregister(name: impl AsRef<str>) -> Option<Pid> {
    runtime_of("unregister", "`Handle::unregister`").unregister(name.as_ref())
}

/// Who has a name; `None` if nobody who is alive has it.
///
/// The answer may be out of date when it is returned. But a pid whose [`Down`](crate::Down) or
/// [`Exit`](crate::Exit) the caller has seen is never returned.
///
/// # Panics
/// Outside an actor; use [`Handle::where_is`](crate::Handle::where_is) there.
///
/// Source: R29; Erlang's `whereis/1`.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() -> Result<(), SpawnError> {
///     let idle = Spawn::new().name("idle").spawn(std::future::pending::<()>())?;
///     assert_eq!(where_is("idle"), Some(idle.pid()));
///     kill(&idle);
///     assert_eq!(where_is("idle"), None);
///     Ok(())
/// }
/// ```
#[must_use]
pub fn where_is(name: impl AsRef<str>) -> Option<Pid> {
    runtime_of("where_is", "`Handle::where_is`").where_is(name.as_ref())
}

/// The address of the one who has a name, if its protocol is `P`.
///
/// The protocol is that of the actor, as it was spawned, however it was registered: by
/// address, by recipient or by pid. For an `#[actor] async fn printer` it is `Printer`, for a struct
/// actor the struct, for a plain future, `main` and tests [`Anything`](crate::Anything). Nothing else
/// will do, not even `Anything` for an actor that says what it receives; to send to it unchecked
/// use [`send_named`], or its pid.
///
/// # Panics
/// Outside an actor; use [`Handle::where_is_as`](crate::Handle::where_is_as) there.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// struct Get(ReplyTo<u64>);
///
/// #[actor]
/// async fn counter(total: u64) {
///     loop {
///         #[receive]
///         match receive().await {
///             Get(reply_to) => reply_to.send(total),
///         }
///     }
/// }
///
/// #[uproar::main]
/// async fn main() -> Result<(), Box<dyn std::error::Error>> {
///     Spawn::new().name("counter").spawn(counter(7))?;
///
///     let found = where_is_as::<Counter>("counter").ok_or("no counter")?;
///     assert_eq!(found.ask(Get).await?, 7);
///     assert_eq!(where_is_as::<Anything>("counter"), None);
///     Ok(())
/// }
/// ```
#[must_use]
pub fn where_is_as<P: 'static>(name: impl AsRef<str>) -> Option<Address<P>> {
    where_is_as_in(
        runtime_of("where_is_as", "`Handle::where_is_as`"),
        name.as_ref(),
    )
}

/// Sends a message to whoever has a name: unchecked, of any type. Never blocks.
///
/// The name is looked up for each message, which takes some 30 ns, and a few hundred among very many
/// names. To send many to the same actor, to have the type checked, to ask, or to wait for room,
/// take its address with [`where_is_as`].
///
/// # Errors
/// The message comes back, and is no dead letter:
/// * [`SendError::Gone`]: nobody who is alive has the name.
/// * [`SendError::Full`]: the mailbox is full and refuses.
///
/// # Ordering
/// As for any send: messages to one actor arrive in the order sent (R1), by name or by address.
///
/// # Panics
/// Outside an actor; use [`Handle::send_named`](crate::Handle::send_named) there.
///
/// Source: R3; Erlang's `!` with a name, which fails when the name is free.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() -> Result<(), RegisterError> {
///     assert_eq!(send_named("main", 1), Err(SendError::Gone(1)));
///     register("main", self_pid())?;
///     assert_eq!(send_named("main", 2), Ok(()));
///     assert_eq!(receive::<Typed<i32>>().await, Typed(2));
///     Ok(())
/// }
/// ```
pub fn send_named<M: Send + 'static>(
    name: impl AsRef<str>,
    message: M,
) -> Result<(), SendError<M>> {
    send_in(
        runtime_of("send_named", "`Handle::send_named`"),
        name.as_ref(),
        message,
    )
}

/// All names and who has them, in the order of the names.
///
/// For tools and tests; it walks through all of them. Names that come or go meanwhile are in it or
/// not.
///
/// # Panics
/// Outside an actor; use [`Handle::registered`](crate::Handle::registered) there.
///
/// Source: Erlang's `registered/0`.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() -> Result<(), Box<dyn std::error::Error>> {
///     register("main", self_pid())?;
///     Spawn::new().name("idle").spawn(std::future::pending::<()>())?;
///     let names: Vec<_> = registered().into_iter().map(|(name, _)| name).collect();
///     assert_eq!(names, ["idle".into(), "main".into()]);
///     Ok(())
/// }
/// ```
#[must_use]
pub fn registered() -> Vec<(Arc<str>, Pid)> {
    runtime_of("registered", "`Handle::registered`").all_names()
}

impl Handle {
    /// Gives an actor of the runtime, or an inbox, a name: [`register`](crate::register()) for
    /// code outside of actors.
    ///
    /// # Errors
    /// As there, and:
    /// * [`RegisterError::ShuttingDown`]: the runtime is shutting down, or has.
    ///
    /// # Examples
    ///
    /// An inbox stands in for an actor that others look up:
    ///
    /// ```
    /// use uproar::{Runtime, prelude::*};
    ///
    /// let runtime = Runtime::builder().workers(1).start().unwrap();
    /// let logger = runtime.inbox::<&str>();
    /// runtime.register("logger", &logger.address()).unwrap();
    /// runtime.spawn(async { send_named("logger", "hello").unwrap() });
    /// assert_eq!(logger.recv_timeout(Duration::from_secs(10)), Ok("hello"));
    /// ```
    pub fn register(
        &self,
        name: impl Into<Arc<str>>,
        actor: impl Into<Pid>,
    ) -> Result<(), RegisterError> {
        register_in(&self.shared, name.into(), actor.into())
    }

    /// Takes a name away from whoever has it: [`unregister`](crate::unregister()) for code
    /// outside of actors. While the runtime shuts down, and after that, it does nothing.
    pub fn unregister(&self, name: impl AsRef<str>) -> Option<Pid> {
        self.shared.unregister(name.as_ref())
    }

    /// Who has a name: [`where_is`](crate::where_is()) for code outside of actors. Nobody has
    /// one when the runtime has ended.
    #[must_use]
    pub fn where_is(&self, name: impl AsRef<str>) -> Option<Pid> {
        self.shared.where_is(name.as_ref())
    }

    /// The address of the one who has a name, if its protocol is `P`:
    /// [`where_is_as`](crate::where_is_as()) for code outside of actors.
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::{Runtime, prelude::*};
    ///
    /// let runtime = Runtime::builder().workers(1).start().unwrap();
    /// let named = Spawn::new().name("echo");
    /// runtime.spawn_with(&named, async {
    ///     let Typed((n, reply_to)) = receive::<Typed<(u32, ReplyTo<u32>)>>().await;
    ///     reply_to.send(n);
    /// }).unwrap();
    ///
    /// let echo = runtime.where_is_as::<Anything>("echo").unwrap();
    /// assert_eq!(echo.ask(|reply_to: ReplyTo<u32>| (7u32, reply_to)).wait(), Ok(7));
    /// ```
    #[must_use]
    pub fn where_is_as<P: 'static>(&self, name: impl AsRef<str>) -> Option<Address<P>> {
        where_is_as_in(&self.shared, name.as_ref())
    }

    /// Sends a message to whoever has a name: [`send_named`](crate::send_named()) for code
    /// outside of actors.
    ///
    /// # Errors
    /// As there; while the runtime shuts down, and after that, [`SendError::Gone`].
    pub fn send_named<M: Send + 'static>(
        &self,
        name: impl AsRef<str>,
        message: M,
    ) -> Result<(), SendError<M>> {
        send_in(&self.shared, name.as_ref(), message)
    }

    /// All names and who has them, in the order of the names.
    #[must_use]
    pub fn registered(&self) -> Vec<(Arc<str>, Pid)> {
        self.shared.all_names()
    }
}

fn register_in(shared: &Shared, name: Arc<str>, pid: Pid) -> Result<(), RegisterError> {
    shared.register(&name, pid).map_err(|error| match error {
        NotRegistered::Taken(by) => RegisterError::Taken { name, by },
        NotRegistered::Named(name) => RegisterError::AlreadyNamed { name },
        NotRegistered::Dead => RegisterError::NoProcess,
        NotRegistered::ShuttingDown => RegisterError::ShuttingDown,
    })
}

fn where_is_as_in<P: 'static>(shared: &Shared, name: &str) -> Option<Address<P>> {
    let process = shared.find_named(name)?;
    process.kind().is::<P>().then(|| Address::new(process))
}

fn send_in<M: Send + 'static>(shared: &Shared, name: &str, message: M) -> Result<(), SendError<M>> {
    match shared.find_named(name) {
        Some(process) => try_send(&process, message),
        None => Err(SendError::Gone(message)),
    }
}
