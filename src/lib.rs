//! Erlang-grade actors as async fns.

mod actor;
mod mailbox;
mod observe;
pub mod prelude;
mod process;
mod reactor;
mod runtime;
mod scheduler;
mod signals;
mod sync;
mod testing;

pub use actor::{
    Actor, ActorFn, Address, Anything, Ask, AskError, AskTimeout, Deliver, Outcome, Receivable,
    Receive, ReceiveIf, ReceiveTimeout, Receives, Recipient, ReplyTo, SendError, Sleep, Spawn,
    SpawnError, Timeout, Typed, WorkerId, consume_reductions, receive, receive_if, self_address,
    self_pid, send, sleep, sleep_until, spawn, try_receive, worker_id, yield_now,
};
pub use mailbox::{Envelope, Mailbox};
pub use observe::{RuntimeStats, WorkerStats};
pub use process::{ExitError, ExitReason, Panicked, Pid};
pub use reactor::now;
pub use runtime::{
    Builder, Handle, Inbox, ManualRuntime, Runtime, ShutdownReport, StuckActor, Tick, run,
};
pub use uproar_macros::{actor, main, receive, test};

#[doc(hidden)]
pub mod __private {
    pub use crate::actor::{FnOutput, Receivable, turn};
    pub use crate::mailbox::{Deadline, Forever, Scan, Slot, Step, Wants};
    pub use crate::testing::{TestPlan, run_main, run_test};
}
