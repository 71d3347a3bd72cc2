//! What actor code needs: `use uproar::prelude::*`.

pub use std::time::Duration;

pub use crate::actor::{
    Actor, ActorFn, Address, Anything, AskError, Handles, Receives, Recipient, ReplyTo, SendError,
    Spawn, SpawnError, Timeout, Typed, WorkerId, consume_reductions, receive, receive_if,
    self_address, self_pid, send, sleep, sleep_until, spawn, try_receive, worker_id, yield_now,
};
pub use crate::mailbox::{Envelope, Mailbox};
pub use crate::process::{ExitReason, Pid};
pub use crate::reactor::now;
pub use uproar_macros::{actor, receive};
