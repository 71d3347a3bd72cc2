//! The words users type: actors, addresses, receive, ask.
//!
//! Thin: what an address or a future does is in the mailbox and the runtime.

mod address;
mod ask;
mod builder;
mod deliver;
pub mod form;
pub mod handlers;
mod links;
mod local;
mod own;
mod place;
mod receive;
pub(crate) mod reply;
mod spawn;
mod syscall;
mod time;
mod traits;

pub use address::{Address, Recipient, SendError, send};
pub(crate) use address::{send_to, try_send};
pub use ask::{Ask, AskError, AskTimeout};
pub use builder::Spawn;
pub use deliver::Deliver;
pub use handlers::{Call, Handles};
pub use links::{
    demonitor, exit, kill, link, monitor, process_info, processes, send_exit, trap_exit, unlink,
};
pub use own::{WorkerId, consume_reductions, self_address, self_pid, turn, worker_id, yield_now};
pub use place::{NoSuchWorker, spawn_blocked, spawn_pinned, spawn_pinned_local, spawn_pinned_on};
pub(crate) use place::{runtime_of, shell};
pub use receive::{
    Receivable, Receive, ReceiveIf, ReceiveTimeout, Timeout, Typed, receive, receive_if, same_arm,
    same_message, try_receive,
};
pub use reply::ReplyTo;
pub use spawn::{SpawnError, spawn, spawn_link, spawn_monitor};
pub use syscall::{Source, Syscall, syscall};
pub use time::{
    Interval, Sleep, Target, Timer, WithTimeout, interval, send_after, send_after_ticks,
    send_interval, send_interval_ticks, sleep, sleep_until, timeout,
};
pub(crate) use time::{send_every, send_once};
pub use traits::{
    Actor, ActorFn, Anchor, Anything, FnOutput, Include, IncludeInEmpty, Nothing, OthersUnderCfg,
    Outcome, Plain, Receives,
};
