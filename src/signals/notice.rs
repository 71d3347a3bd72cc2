//! Messages of the runtime: what a monitor and a trapped exit signal become.

use std::fmt;

use crate::process::{ExitReason, Pid};

/// Names one monitor. From [`monitor`](crate::monitor()), and in the [`Down`] that it
/// gives.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct MonitorRef {
    pub(crate) watcher: Pid,
    pub(crate) number: u64,
}

impl fmt::Debug for MonitorRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MonitorRef({}, {})", self.watcher, self.number)
    }
}

/// The message that says that a monitored actor has ended.
///
/// It comes after all that the actor has sent, takes no room in a bounded mailbox, and
/// is received like any message.
///
/// Source: R19, R20; Erlang's `'DOWN'`.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() {
///     let (_worker, monitor) = spawn_monitor(async { Err::<(), _>("no disk") });
///     #[receive]
///     match receive().await {
///         Down { monitor: its, reason, .. } if its == monitor => {
///             assert_eq!(reason.to_string(), "error: no disk");
///         }
///     }
/// }
/// ```
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Down {
    /// The monitor that gave it.
    pub monitor: MonitorRef,
    /// Who has ended.
    pub pid: Pid,
    /// Why: `NoProcess` when it had ended before it was monitored.
    pub reason: ExitReason,
}

/// The message that an actor that traps exits gets in place of an exit signal.
///
/// It takes no room in a bounded mailbox, and is received like any message.
///
/// Source: R23, R24; Erlang's `{'EXIT', From, Reason}`.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() {
///     trap_exit(true);
///     let worker = spawn_link(async { Err::<(), _>("no disk") });
///     let Exit { from, reason, .. } = receive().await;
///     assert_eq!(from, worker.pid());
///     assert_eq!(reason.to_string(), "error: no disk");
/// }
/// ```
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Exit {
    /// Who has ended, or sent the signal. A signal of the runtime itself, or of a thread
    /// outside of actors, comes from `<0.0.0>`, which is nobody.
    pub from: Pid,
    /// Why.
    pub reason: ExitReason,
    /// It came through a link.
    pub(crate) linked: bool,
}
