//! What actor code needs: `use uproar::prelude::*`.

pub use std::time::Duration;

pub use crate::actor::{
    Actor, ActorFn, Address, Anything, AskError, Handles, NoSuchWorker, Receives, Recipient,
    ReplyTo, SendError, Spawn, SpawnError, Timeout, Timer, Typed, WorkerId, consume_reductions,
    demonitor, exit, interval, kill, link, monitor, process_info, processes, receive, receive_if,
    self_address, self_pid, send, send_after, send_after_ticks, send_exit, send_interval,
    send_interval_ticks, sleep, sleep_until, spawn, spawn_blocked, spawn_link, spawn_monitor,
    spawn_pinned, spawn_pinned_local, spawn_pinned_on, syscall, timeout, trap_exit, try_receive,
    unlink, worker_id, yield_now,
};
pub use crate::mailbox::{Envelope, Mailbox};
pub use crate::otp::{
    RegisterError, register, registered, send_named, unregister, where_is, where_is_as,
};
pub use crate::process::{ExitReason, Pid};
pub use crate::reactor::{Interest, now};
pub use crate::signals::{Down, Exit, MonitorRef};
pub use uproar_macros::{actor, receive};
