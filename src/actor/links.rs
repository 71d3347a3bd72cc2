//! Links, monitors and exits, in the words users type.

use std::any::TypeId;
use std::future::pending;

use super::receive::Receivable;
use crate::mailbox::{Slot, Wants};
use crate::observe::ProcessInfo;
use crate::process::{ExitReason, Pid, Process};
use crate::runtime::Shared;
use crate::scheduler::context;
use crate::signals::{Down, Exit, MonitorRef};

impl Receivable for Down {
    const WANTS: Wants = Wants::Types(&[TypeId::of::<Down>()]);

    #[inline]
    fn take(slot: &mut Slot) -> Option<Self> {
        slot.take_if(Ok)
    }
}

impl Receivable for Exit {
    const WANTS: Wants = Wants::Types(&[TypeId::of::<Exit>()]);

    #[inline]
    fn take(slot: &mut Slot) -> Option<Self> {
        slot.take_if(Ok)
    }
}

/// The caller and its runtime.
fn caller<'a>(call: &str, instead: &str) -> (&'a Process, &'a Shared) {
    let process = context::current(call, instead);
    context::overdraw();
    // SAFETY: [P3] its code runs, so its task is unfinished.
    (process, unsafe { Shared::of(process) })
}

const NO_SELF: &str = "an actor that the thread talks to";

/// Links the calling actor with another: when one ends, the other gets an exit signal.
///
/// An exit signal other than `Normal` ends its receiver with the same reason, unless
/// that traps exits (see [`trap_exit`]) and gets it as an [`Exit`] message. Two actors
/// have one link at most; either may [`unlink`]. A link to oneself is none.
///
/// To an actor that is dead, or that never was, the link gives the exit signal
/// `NoProcess` at once. An [`Inbox`](crate::Inbox) is no actor. Use [`monitor`] to learn
/// of an end without sharing it, and [`spawn_link`](crate::spawn_link) to spawn and link
/// in one step.
///
/// # Ordering
/// The signal comes after everything that the ended actor has sent (R30).
///
/// # Panics
/// Outside an actor.
///
/// Source: R21, R23; Erlang's `link/1`.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// let reason = uproar::run(async {
///     let disk = spawn(async {
///         let Typed(()) = receive().await;
///         Err::<(), _>("no disk")
///     });
///     link(&disk);
///     disk.send(());
///     std::future::pending::<()>().await
/// });
/// assert_eq!(reason.to_string(), "error: no disk");
/// ```
pub fn link(to: impl Into<Pid>) {
    let (caller, shared) = caller("link", NO_SELF);
    shared.link(caller, to.into());
}

/// Cuts the link with another actor, whichever of the two made it.
///
/// When it returns, nothing comes through that link any more: an [`Exit`] message that
/// had come and was not received is gone. Without a link it does nothing.
///
/// # Panics
/// Outside an actor.
///
/// Source: R21; Erlang's `unlink/1`, which leaves a queued message for the caller to flush.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() {
///     let failing = spawn_link(async {
///         let Typed(()) = receive().await;
///         Err::<(), _>("no disk")
///     });
///     unlink(&failing);
///     let monitor = monitor(&failing);
///     failing.send(());
///     let Down { reason, .. } = receive().await;
///     assert!(reason.is_failure(), "and this actor is alive");
/// }
/// ```
pub fn unlink(from: impl Into<Pid>) {
    let (caller, shared) = caller("unlink", NO_SELF);
    shared.unlink(caller, from.into());
}

/// Watches another actor: when it ends, the caller gets one [`Down`] message.
///
/// Each call is a monitor of its own, and gives a `Down` of its own. For an actor that
/// is dead, or that never was, the `Down` comes at once, with the reason `NoProcess`.
/// Monitoring oneself is never observable.
///
/// # Ordering
/// The `Down` comes after everything that the ended actor has sent (R30).
///
/// # Panics
/// Outside an actor.
///
/// Source: R19; Erlang's `monitor/2`.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() {
///     let worker = spawn(async { let Typed(()) = receive().await; });
///     let monitor = monitor(&worker);
///     worker.send(());
///     let down: Down = receive().await;
///     assert_eq!((down.monitor, down.pid), (monitor, worker.pid()));
///     assert_eq!(down.reason, ExitReason::Normal);
/// }
/// ```
pub fn monitor(of: impl Into<Pid>) -> MonitorRef {
    let (caller, shared) = caller("monitor", NO_SELF);
    shared.monitor(caller, of.into())
}

/// Takes a monitor down. Whether it was still up.
///
/// When it returns, no [`Down`] of it comes any more: one that had come and was not
/// received is gone. A monitor that has fired, or another actor's, is left alone.
///
/// # Panics
/// Outside an actor.
///
/// Source: R20; Erlang's `demonitor/2` with `flush`.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() {
///     let worker = spawn(std::future::pending::<()>());
///     let monitor = monitor(&worker);
///     assert!(demonitor(monitor));
///     assert!(!demonitor(monitor));
/// }
/// ```
pub fn demonitor(monitor: MonitorRef) -> bool {
    let (caller, shared) = caller("demonitor", NO_SELF);
    shared.demonitor(caller, monitor)
}

/// From now on, or no longer, exit signals reach the calling actor as [`Exit`] messages
/// instead of ending it. What it was before.
///
/// It counts when a signal is received, not when it is sent. A kill can't be trapped. A
/// struct actor takes the exit signal `Shutdown` that is sent to it as a graceful stop,
/// whether it traps exits or not.
///
/// # Panics
/// Outside an actor.
///
/// Source: R23, R24, R26; Erlang's `process_flag(trap_exit, ..)`.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() {
///     trap_exit(true);
///     spawn_link(async { panic!("as an example") });
///     let Exit { reason, .. } = receive().await;
///     assert!(matches!(reason, ExitReason::Panic(_)));
/// }
/// ```
pub fn trap_exit(trap: bool) -> bool {
    caller("trap_exit", NO_SELF).0.set_trap_exit(trap)
}

/// Sends an exit signal to an actor.
///
/// An actor that traps exits gets an [`Exit`] message. One that doesn't ends with
/// `reason` at its next await; a waiting one at once. `Normal` ends nobody but the caller
/// itself. To a dead actor it does nothing.
///
/// # Ordering
/// As for messages: it comes after what the caller has sent before (R1).
///
/// # Panics
/// Outside an actor; use [`Handle::send_exit`](crate::Handle::send_exit) there.
///
/// Source: R24, R28; Erlang's `exit/2`.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() {
///     let (idle, _) = spawn_monitor(std::future::pending::<()>());
///     send_exit(&idle, ExitReason::Shutdown);
///     let Down { reason, .. } = receive().await;
///     assert_eq!(reason, ExitReason::Shutdown);
/// }
/// ```
pub fn send_exit(to: impl Into<Pid>, reason: ExitReason) {
    let (caller, shared) = caller("send_exit", "`Handle::send_exit`");
    if !context::is_inert() {
        shared.send_exit(caller.pid(), to.into(), reason);
    }
}

/// Kills an actor: it ends with the reason `Killed`, whether it traps exits or not.
///
/// From the call on it is dead for the caller: [`is_alive`](crate::Address::is_alive) is
/// false, and it can't be linked, monitored or inspected. Its future is dropped at its next
/// await; no code of it runs after that but destructors. An actor that does not come to an
/// await, because it computes for long or blocks its thread, counts as dead all the same:
/// who is tied to it is told within some milliseconds, what it sends from then on is
/// dropped, and its future is dropped when its code returns.
///
/// # Panics
/// Outside an actor; use [`Handle::kill`](crate::Handle::kill) there.
///
/// Source: R25, R31; Erlang's `exit(Pid, kill)`.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() {
///     let (stubborn, _) = spawn_monitor(async {
///         trap_exit(true);
///         std::future::pending::<()>().await
///     });
///     kill(&stubborn);
///     assert!(!stubborn.is_alive());
///     let Down { reason, .. } = receive().await;
///     assert_eq!(reason, ExitReason::Killed);
/// }
/// ```
pub fn kill(target: impl Into<Pid>) {
    let (_, shared) = caller("kill", "`Handle::kill`");
    if !context::is_inert() {
        shared.kill(target.into());
    }
}

/// Ends the calling actor with this reason. Never returns.
///
/// What follows does not run; the actor's variables are dropped. An exit signal that has
/// come before gives its reason instead.
///
/// # Panics
/// Outside an actor.
///
/// Source: R27; Erlang's `exit/1`.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// let reason = uproar::run(async {
///     exit(ExitReason::Shutdown).await;
/// });
/// assert_eq!(reason, ExitReason::Shutdown);
/// ```
pub async fn exit(reason: ExitReason) -> ! {
    let (caller, _) = caller("exit", NO_SELF);
    caller.decide_exit(reason);
    pending().await
}

/// What is known of an actor of the caller's runtime; `None` when it is dead.
///
/// Counting the messages of a long mailbox takes its time, during which its owner may have
/// to wait: some nanoseconds a message.
///
/// # Panics
/// Outside an actor; use [`Handle::process_info`](crate::Handle::process_info) there.
///
/// Source: Erlang's `process_info/1`.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() {
///     let child = spawn_link(std::future::pending::<()>());
///     let info = process_info(&child).unwrap();
///     assert_eq!(info.parent, Some(self_pid()));
///     assert_eq!(info.links, [self_pid()]);
/// }
/// ```
#[must_use]
pub fn process_info(of: impl Into<Pid>) -> Option<ProcessInfo> {
    let (_, shared) = caller("process_info", "`Handle::process_info`");
    shared.process_info(of.into())
}

/// The actors of the caller's runtime that are alive, in no particular order.
///
/// # Panics
/// Outside an actor; use [`Handle::processes`](crate::Handle::processes) there.
///
/// Source: Erlang's `processes/0`.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() {
///     assert_eq!(processes(), [self_pid()]);
/// }
/// ```
#[must_use]
pub fn processes() -> Vec<Pid> {
    let (_, shared) = caller("processes", "`Handle::processes`");
    shared.table.pids()
}
