//! What actor code needs: `use uproar::prelude::*`.

pub use std::time::Duration;

pub use crate::actor::{
    Actor, ActorFn, Address, Anything, AskError, Handles, Receives, Recipient, ReplyTo, SendError,
    Spawn, SpawnError, Timeout, Timer, Typed, WorkerId, consume_reductions, interval, receive,
    receive_if, self_address, self_pid, send, send_after, send_after_ticks, send_interval,
    send_interval_ticks, sleep, sleep_until, spawn, timeout, try_receive, worker_id, yield_now,
};
pub use crate::mailbox::{Envelope, Mailbox};
pub use crate::process::{ExitReason, Pid};
pub use crate::reactor::now;
pub use uproar_macros::{actor, receive};
