//! Runtimes: what ties process table, scheduler and reactor together.
//!
//! * `[X1]` A runtime ends when no actor of it is left, or when those that are left
//!   are stuck in code of their own; its parts outlive both through `Arc<Shared>`.
//! * `[X2]` While a runtime shuts down, an actor that gets into the table either is
//!   seen by a sweep of the shutdown or sees the shutdown itself.

mod affinity;
mod alarm;
mod backlogs;
mod block;
mod builder;
mod caught;
mod condemned;
mod deadlock;
mod handle;
mod handle_spawn;
mod inbox;
mod manual;
mod names;
mod place;
mod registry;
mod run;
mod shared;
mod shutdown;
mod slice;
mod spawn;
mod ties;
mod waiters;

pub use affinity::{Affinity, Capabilities};
pub(crate) use block::block_thread;
pub use builder::Builder;
pub(crate) use caught::Caught;
pub use handle::Handle;
pub use inbox::Inbox;
pub use manual::{ManualRuntime, Tick};
pub(crate) use names::NotRegistered;
pub(crate) use place::{How, Place};
pub(crate) use registry::{count_dead_letter, count_mailbox_drop, reactor_of};
pub use run::{Runtime, run};
pub(crate) use shared::{Phase, Shared};
pub use shutdown::{ShutdownReport, StuckActor};
pub(crate) use spawn::{Spawned, Tie, send_by_pid, spawn_child};
