//! Actors that have been killed in the middle of their code. (R31)
//!
//! A kill takes an actor at its next await. One that does not come to an await, because its
//! slice is overlong, is *given up*: it counts as dead at once, whoever is tied to it is
//! told, and the future is dropped when the code returns.
//!
//! `[Y1]` Of the actor's own end and its giving up, the one that takes the actor out of the
//! table tells its ties; the other leaves them alone.
//!
//! Kills that meet a running actor are kept in a list. Each tick of the watch looks whether
//! one of them has become overlong; it is given up by a worker, since messages of the
//! user's are dropped with it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Shared;
use super::shutdown::StuckActor;
use crate::observe::events;
use crate::process::{ExitReason, Pid, Process, ProcessRef, State, contain};
use crate::scheduler::context;
use crate::signals::Signal;

#[derive(Default)]
pub(crate) struct Condemned {
    any: AtomicBool,
    list: Mutex<Vec<ProcessRef>>,
}

impl Condemned {
    fn list(&self) -> MutexGuard<'_, Vec<ProcessRef>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, process: ProcessRef) {
        self.list().push(process);
        self.any.store(true, Ordering::Release);
    }

    /// Those that are still in their code, given up or not.
    fn left(&self) -> Vec<ProcessRef> {
        if !self.any.load(Ordering::Acquire) {
            return Vec::new();
        }
        let mut list = self.list();
        let over: Vec<_> = list
            .extract_if(.., |process| process.state() == State::Exited)
            .collect();
        if list.is_empty() {
            self.any.store(false, Ordering::Release);
        }
        let left = list.clone();
        drop(list);
        // The last reference to one may be among them.
        drop(over);
        left
    }
}

impl Shared {
    /// Kills an actor. (R25)
    pub(crate) fn kill(&self, target: Pid) {
        let Some(process) = self.find_actor(target) else {
            return;
        };
        process.doom();
        self.signal(&process, Signal::Kill);
        let own = context::try_current().is_some_and(|caller| caller.pid() == target);
        if own || self.config.manual || process.state() != State::Running {
            return;
        }
        self.condemned.push(process);
        self.scheduler.watch.ensure_awake();
        self.watch_condemned();
    }

    /// Gives up those whose slice has become overlong.
    pub(super) fn watch_condemned(&self) {
        let left = self.condemned.left();
        if !left.iter().any(|process| self.is_overlong(process)) {
            return;
        }
        let give_up = |shared: &Shared| {
            for process in shared.condemned.left() {
                if shared.is_overlong(&process) {
                    shared.give_up(&process);
                }
            }
            shared.after_exit();
        };
        if self.is_here() {
            give_up(self);
        } else {
            self.run_on_worker(give_up);
        }
    }

    /// Whether it is in a slice that has lasted too long, and not given up.
    fn is_overlong(&self, process: &Process) -> bool {
        process.state() == State::Running
            && !process.is_given_up()
            && self.scheduler.is_stuck(process.worker())
    }

    /// Counts an actor as dead. Whether it was not yet [Y1].
    pub(super) fn give_up(&self, process: &Process) -> bool {
        let Some(entry) = self.table.remove(process.pid()) else {
            // It has ended after all.
            return false;
        };
        process.give_up();
        events::given_up(process);
        // SAFETY: [I3] the close makes this thread the last consumer of what
        // was sent; what the actor has drained stays its own.
        let rest = unsafe { process.mailbox.close(false) };
        process.set_urgent();
        let reason = ExitReason::Killed;
        let cut = {
            let _ending = context::Ending::enter(&reason);
            contain(|| drop(rest));
            process.end_ties()
        };
        drop(entry);
        self.count_exit(false);
        self.part(process, cut, &reason);
        if process.is_main {
            self.main_ended(reason);
        }
        true
    }

    /// Those that were killed and have not come back, for the report.
    pub(super) fn stuck_condemned(&self) -> Vec<StuckActor> {
        let left = self.condemned.left();
        let left = left.iter().filter(|process| process.is_given_up());
        left.map(|process| StuckActor::of(process)).collect()
    }
}
