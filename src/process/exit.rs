//! Why an actor ended.

use std::any::Any;
use std::cell::RefCell;
use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Once};

/// Why an actor ended.
///
/// `Normal` and `Shutdown` are orderly ends, all others are failures. The reason
/// travels unchanged to whoever learns of the end.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// let reason = uproar::run(async { Err::<(), _>("no disk") });
/// assert_eq!(reason.to_string(), "error: no disk");
/// assert!(reason.is_failure());
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ExitReason {
    /// The actor returned `()` or `Ok`.
    Normal,
    /// It was asked to end, by its supervisor or because its runtime shuts down.
    Shutdown,
    /// It was killed.
    Killed,
    /// There was no such actor.
    NoProcess,
    /// The connection to the actor's node was lost.
    NoConnection,
    /// It panicked.
    Panic(Panicked),
    /// It returned `Err`.
    Error(ExitError),
}

impl ExitReason {
    /// The reason for an error value.
    ///
    /// # Examples
    ///
    /// ```
    /// use uproar::ExitReason;
    ///
    /// let reason = ExitReason::error("no disk");
    /// assert_eq!(reason.to_string(), "error: no disk");
    /// ```
    pub fn error(error: impl Into<Box<dyn Error + Send + Sync>>) -> ExitReason {
        ExitReason::Error(ExitError(error.into().into()))
    }

    /// Whether it is neither `Normal` nor `Shutdown`.
    pub fn is_failure(&self) -> bool {
        !matches!(self, ExitReason::Normal | ExitReason::Shutdown)
    }
}

/// Reasons of the same kind are equal; panics when message and place are, errors
/// when they are one value or read the same.
impl PartialEq for ExitReason {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (ExitReason::Panic(a), ExitReason::Panic(b)) => a == b,
            (ExitReason::Error(a), ExitReason::Error(b)) => a == b,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

impl fmt::Display for ExitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExitReason::Normal => f.write_str("normal"),
            ExitReason::Shutdown => f.write_str("shutdown"),
            ExitReason::Killed => f.write_str("killed"),
            ExitReason::NoProcess => f.write_str("no such process"),
            ExitReason::NoConnection => f.write_str("connection to the node lost"),
            ExitReason::Panic(panic) => write!(f, "panic: {panic}"),
            ExitReason::Error(error) => write!(f, "error: {error}"),
        }
    }
}

impl Error for ExitReason {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ExitReason::Error(error) => Some(&*error.0),
            _ => None,
        }
    }
}

/// The error value an actor returned.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// let reason = uproar::run(async { "twelve".parse::<u32>().map(|_| ()) });
/// let ExitReason::Error(error) = &reason else { panic!("{reason}") };
/// assert!(error.as_error().is::<std::num::ParseIntError>());
/// ```
#[derive(Clone)]
pub struct ExitError(Arc<dyn Error + Send + Sync>);

impl ExitError {
    /// The error itself, to look at or to downcast.
    pub fn as_error(&self) -> &(dyn Error + Send + Sync + 'static) {
        &*self.0
    }
}

impl PartialEq for ExitError {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.to_string() == other.0.to_string()
    }
}

impl fmt::Debug for ExitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for ExitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// What a panic said, and where.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// let reason = uproar::run(async { panic!("at the {}", "disco") });
/// let ExitReason::Panic(panic) = &reason else { panic!("{reason}") };
/// assert_eq!(panic.message(), "at the disco");
/// assert!(panic.location().is_some());
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Panicked(Arc<Inner>);

#[derive(PartialEq, Eq)]
struct Inner {
    message: String,
    location: Option<String>,
}

impl Panicked {
    /// The panic's message, or a note that its payload was not a string.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// `file:line:column`. `None` when the program has replaced the panic hook
    /// since its first runtime was made, so that nobody could note the place.
    pub fn location(&self) -> Option<&str> {
        self.0.location.as_deref()
    }

    /// From a caught payload, on the thread that caught it.
    pub(crate) fn from_payload(payload: Box<dyn Any + Send>) -> Panicked {
        let message = if let Some(text) = payload.downcast_ref::<&'static str>() {
            (*text).to_owned()
        } else if let Some(text) = payload.downcast_ref::<String>() {
            text.clone()
        } else {
            "(the payload is not a string)".to_owned()
        };
        contain(move || drop(payload));
        let location = LOCATION.with_borrow_mut(Option::take);
        Panicked(Arc::new(Inner { message, location }))
    }
}

impl fmt::Debug for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Panicked({self})")
    }
}

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())?;
        match self.location() {
            Some(location) => write!(f, " at {location}"),
            None => Ok(()),
        }
    }
}

thread_local! {
    /// Where this thread's last panic was raised.
    static LOCATION: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Has the panic hook note where panics are raised, then do what it did before.
pub(crate) fn note_panic_locations() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let location = info.location().map(ToString::to_string);
            // A thread that is ending has no place to note it.
            let _ = LOCATION.try_with(|last| *last.borrow_mut() = location);
            before(info);
        }));
    });
}

/// Runs destructors of the user's: a panic in them ends with them.
///
/// A payload whose own drop panics is given one more try and then leaked.
pub(crate) fn contain(drops: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(drops))
        && let Err(payload) = catch_unwind(AssertUnwindSafe(move || drop(payload)))
    {
        std::mem::forget(payload);
    }
}
