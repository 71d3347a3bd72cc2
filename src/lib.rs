//! Actors as async fns, with typed addresses and Erlang's selective receive.
//!
//! An actor is an `async fn` that receives messages. What it receives is read off its
//! body, so an [`Address`] is checked at compile time, without an enum of messages or a
//! trait per handler. Actors run on an executor of their own: workers that steal from
//! each other, slices that end when their reductions are spent, one allocation per
//! actor. The same executor also runs without threads, under a seed and a virtual
//! clock, so that races are found by trying schedules, and found again.
//!
//! # A counter
//!
//! ```
//! use uproar::prelude::*;
//!
//! struct Add(u64);
//! struct Get(ReplyTo<u64>);
//!
//! #[actor]
//! async fn counter(mut total: u64) {
//!     loop {
//!         #[receive]
//!         match receive().await {
//!             Add(n) => total += n,
//!             Get(reply_to) => reply_to.send(total),
//!         }
//!     }
//! }
//!
//! #[uproar::main]
//! async fn main() -> Result<(), AskError> {
//!     let counter: Address<Counter> = spawn(counter(0));
//!     for n in 1..=10 {
//!         counter.send(Add(n));           // `counter.send("text")` does not compile
//!     }
//!     assert_eq!(counter.ask(Get).await?, 55);
//!     Ok(())
//! }
//! ```
//!
//! # Selective receive
//!
//! A receive takes the oldest message that some arm accepts, pattern and guard. All
//! others stay in the mailbox, in order, for a later receive.
//!
//! ```
//! use uproar::prelude::*;
//!
//! struct Chunk { id: u32, data: &'static str }
//! struct Cancel;
//!
//! /// Puts a text together from chunks that come in any order.
//! #[actor]
//! async fn download(chunks: u32, done: Recipient<Result<String, &'static str>>) {
//!     let mut text = String::new();
//!     for next in 0..chunks {
//!         #[receive(timeout = Duration::from_secs(5))]
//!         match receive().await {
//!             Chunk { id, data } if id == next => text += data,
//!             Cancel => return done.send(Err("cancelled")),
//!             Timeout => return done.send(Err("timed out")),
//!         }
//!     }
//!     done.send(Ok(text));
//! }
//!
//! #[uproar::main]
//! async fn main() {
//!     let me = self_address::<Anything>();
//!     let download = spawn(download(3, me.recipient()));
//!     for (id, data) in [(2, "C"), (0, "A"), (1, "B")] {
//!         download.send(Chunk { id, data });
//!     }
//!     let Typed(text) = receive::<Typed<Result<String, &'static str>>>().await;
//!     assert_eq!(text.as_deref(), Ok("ABC"));
//! }
//! ```
//!
//! # A test under a hundred schedules
//!
//! In a test this is `#[uproar::test(seeds = 100)]` on an `async fn`. By hand:
//!
//! ```
//! use uproar::{Runtime, prelude::*};
//!
//! for seed in 0..100 {
//!     let runtime = Runtime::builder().seed(seed).manual();
//!     runtime.block_on(async {
//!         let me = self_address::<Anything>();
//!         for n in [2u64, 1] {
//!             let me = me.clone();
//!             spawn(async move {
//!                 sleep(Duration::from_secs(n)).await;      // virtual: takes no time
//!                 me.send(n);
//!             });
//!         }
//!         let Typed(first) = receive::<Typed<u64>>().await;
//!         assert_eq!(first, 1, "whatever the schedule");
//!     });
//! }
//! ```
//!
//! # Whom it is for
//!
//! Programs in which many things live side by side and talk: sessions, orders, devices,
//! players, protocol machines; where a protocol is more than one message at a time; and
//! where races have to be found before users find them.
//!
//! It is not for programs that are mostly one computation (use threads, or rayon), nor, for
//! now, for those that live in the ecosystem of another executor: the futures here run
//! anywhere, but what needs a tokio runtime around it needs that here too.
//!
//! # Where to read on
//!
//! * The [`guide`]: [concepts](guide::concepts), [receiving](guide::receiving),
//!   [asking](guide::asking), [structs with handlers](guide::handlers), [life and death](guide::life),
//!   [links](guide::links), [names](guide::names), and so on; the
//!   [rules](guide::rules) that the numbers in "Source: R8" refer to.
//! * [`actor`](macro@actor) and [`receive`](macro@receive), the macros, and
//!   [`receive`](fn@receive), [`Address`], [`ReplyTo`], [`Spawn`], [`register`], [`ExitReason`].
//! * [`Runtime`] and [`Builder`], [`Handle`], [`Inbox`] for the world outside of actors;
//!   [`ManualRuntime`] and [`test`](macro@test) for tests.
//! * The examples of the repository, a course from `01_hello` to `word_count`.
//!
//! # Status
//!
//! A beginning: what there is works and is tested, much is still to come. Groups and
//! supervisors are [planned](guide::limits), and not there yet. Linux is tested; other systems are not.
//! The minimum supported Rust version is 1.95.

mod actor;
pub mod guide;
mod mailbox;
pub mod net;
mod observe;
mod otp;
pub mod prelude;
mod process;
mod reactor;
mod runtime;
mod scheduler;
mod signals;
mod sync;
mod testing;

pub use actor::{
    Actor, ActorFn, Address, Anything, Ask, AskError, AskTimeout, Call, Deliver, Handles, Interval,
    NoSuchWorker, Outcome, Receivable, Receive, ReceiveIf, ReceiveTimeout, Receives, Recipient,
    ReplyTo, SendError, Sleep, Source, Spawn, SpawnError, Syscall, Target, Timeout, Timer, Typed,
    WithTimeout, WorkerId, consume_reductions, demonitor, exit, interval, kill, link, monitor,
    process_info, processes, receive, receive_if, self_address, self_pid, send, send_after,
    send_after_ticks, send_exit, send_interval, send_interval_ticks, sleep, sleep_until, spawn,
    spawn_blocked, spawn_link, spawn_monitor, spawn_pinned, spawn_pinned_local, spawn_pinned_on,
    syscall, timeout, trap_exit, try_receive, unlink, worker_id, yield_now,
};
pub use mailbox::{Envelope, Mailbox};
pub use observe::{
    BlockingStats, Placement, ProcessInfo, ProcessState, RuntimeStats, WaitsFor, WorkerStats,
};
pub use otp::{RegisterError, register, registered, send_named, unregister, where_is, where_is_as};
pub use process::{ExitError, ExitReason, Panicked, Pid};
pub use reactor::{Interest, now};
pub use runtime::{
    Affinity, Builder, Capabilities, Handle, Inbox, ManualRuntime, Runtime, ShutdownReport,
    StuckActor, Tick, run,
};
pub use signals::{Down, Exit, MonitorRef};
pub use uproar_macros::{actor, main, receive, test};

#[doc(hidden)]
pub mod __private {
    pub use crate::actor::form::{Closed, Fits, Known, Pattern, may_end};
    pub use crate::actor::{
        Anchor, FnOutput, Include, IncludeInEmpty, Nothing, OthersUnderCfg, Plain, Receivable,
        handlers, same_arm, same_message, turn,
    };
    pub use crate::mailbox::{Deadline, Forever, Scan, Slot, Step, Wants, Whole};
    pub use crate::testing::{TestPlan, run_main, run_test};
    pub use uproar_macros::unfold;
}
