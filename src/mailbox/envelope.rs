use std::fmt;

use super::node::NodeBox;

/// A message of any type.
///
/// What [`receive`](crate::receive()) yields when it is asked for an
/// `Envelope`, and what the catch-all arm (`other => ..`) of a `#[receive] match`
/// binds.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() {
///     send(self_pid(), 7u64);
///     let any: Envelope = receive().await;
///     assert!(any.is::<u64>());
///     let any = any.downcast::<String>().unwrap_err();
///     assert_eq!(any.downcast::<u64>().unwrap(), 7);
/// }
/// ```
pub struct Envelope(pub(crate) NodeBox);

// SAFETY: nothing of the message can be reached through `&Envelope`.
unsafe impl Sync for Envelope {}

impl Envelope {
    /// Puts a message into an envelope.
    pub fn new<M: Send + 'static>(message: M) -> Envelope {
        Envelope(NodeBox::message(message))
    }

    /// Whether the message is an `M`.
    pub fn is<M: 'static>(&self) -> bool {
        self.0.is::<M>()
    }

    /// Takes the message out.
    ///
    /// # Errors
    /// The envelope itself, when the message is of another type.
    pub fn downcast<M: Send + 'static>(mut self) -> Result<M, Envelope> {
        match self.0.take::<M>() {
            Some(message) => Ok(message),
            None => Err(self),
        }
    }

    /// The name of the message's type, for logs. Not stable between compilers.
    pub fn type_name(&self) -> &'static str {
        (self.0.vtable().type_name)()
    }
}

impl fmt::Debug for Envelope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Envelope({})", self.type_name())
    }
}
