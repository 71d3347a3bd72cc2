//! Actors that have been killed in the middle of their code. (R31)
//!
//! A kill takes an actor at its next await. One that does not come to an await, because its
//! slice is overlong or because it is a blocking actor inside its code, is *given up*: it
//! counts as dead at once, whoever is tied to it is told, and the future is dropped when
//! the code returns.
//!
//! `[Y1]` Of the actor's own end and its giving up, the one that ends the ties tells them,
//! takes the actor out of the table and counts it; the other leaves all that alone.
//!
//! Who is killed is kept in a list until the end. When a slice has become overlong, the watch
//! looks whether it is that of one in the list, and gives it up. The kill itself does not
//! look whether there is a slice: the actor may be about to enter one, without having seen
//! the kill.
//!
//! What has a destructor of the user's is left for a worker, or the end, since the watch
//! ticks on the reactor's thread. All else is done on the spot: there may be no other worker.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Shared;
use super::shutdown::StuckActor;
use crate::mailbox::Batch;
use crate::observe::events;
use crate::process::{Cut, ExitReason, Pid, Process, ProcessRef, State, contain};
use crate::scheduler::context;
use crate::signals::Signal;

/// Those that are looked at for each tick, whether they have ended.
const LOOKS: usize = 8192;

#[derive(Default)]
pub(crate) struct Condemned {
    any: AtomicBool,
    list: Mutex<VecDeque<ProcessRef>>,
}

impl Condemned {
    fn list(&self) -> MutexGuard<'_, VecDeque<ProcessRef>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, process: ProcessRef) {
        let over = {
            let mut list = self.list();
            list.push_back(process);
            self.any.store(true, Ordering::Release);
            // So that the list is as long as there are kills on their way.
            take_ended(&mut list, 2)
        };
        drop(over);
    }

    /// Lets go of some that have ended.
    fn forget_ended(&self) {
        let over = {
            let mut list = self.list();
            let over = take_ended(&mut list, LOOKS);
            if list.is_empty() {
                *list = VecDeque::new();
                self.any.store(false, Ordering::Release);
            }
            over
        };
        // The last reference to one may be among them.
        drop(over);
    }

    fn any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// Those of whom this is true.
    fn which(&self, is: impl Fn(&Process) -> bool) -> Vec<ProcessRef> {
        let list = self.list();
        list.iter().filter(|process| is(process)).cloned().collect()
    }
}

/// Looks at so many, the oldest first, and takes those out that have ended.
fn take_ended(list: &mut VecDeque<ProcessRef>, looks: usize) -> Vec<ProcessRef> {
    let mut over = Vec::new();
    for _ in 0..looks.min(list.len()) {
        let process = list.pop_front().expect("no more than there are");
        if process.state() == State::Exited {
            over.push(process);
        } else {
            list.push_back(process);
        }
    }
    over
}

impl Shared {
    /// Kills an actor. (R25)
    pub(crate) fn kill(&self, target: Pid) {
        let Some(process) = self.find_actor(target) else {
            return;
        };
        process.doom();
        self.signal(&process, Signal::Kill);
        if self.config.manual || process.state() == State::Exited {
            return;
        }
        let overlong = self.is_overlong(&process);
        self.condemned.push(process);
        self.scheduler.watch.ensure_awake();
        if overlong {
            self.watch_condemned();
        }
    }

    /// Whether it can be that a kill does not take it: while a worker runs it, and also
    /// while it is in line for a lane.
    fn may_not_come(&self, process: &Process) -> bool {
        match process.state() {
            State::Running => true,
            State::Starting | State::Runnable => process.placement.is_on_lane(),
            _ => false,
        }
    }

    /// Gives up those whose slice has become overlong.
    pub(super) fn watch_condemned(&self) {
        if !self.condemned.any() {
            return;
        }
        self.condemned.forget_ended();
        if !self.scheduler.any_stuck() && self.scheduler.lanes.busy() == 0 {
            return;
        }
        let mut one_less = false;
        for process in self.condemned.which(|process| self.is_overlong(process)) {
            one_less |= self.give_up_and_leave(&process);
        }
        if one_less {
            if self.is_here() {
                self.drop_leftovers();
            } else {
                // If that worker is stuck as well, the end may come first.
                self.run_on_worker(Shared::drop_leftovers);
            }
            self.after_exit();
        }
    }

    /// Whether it does not come to an await, and has not been given up: it is in a slice
    /// that has lasted too long, in code that may block, or in line behind such code.
    fn is_overlong(&self, process: &Process) -> bool {
        if process.is_given_up() || !self.may_not_come(process) {
            return false;
        }
        if process.placement.is_on_lane() {
            let own = context::try_current().is_some_and(|caller| caller.pid() == process.pid());
            return !own && (process.state() == State::Running || self.scheduler.lanes.is_full());
        }
        self.scheduler.is_stuck(process.worker())
    }

    /// Counts an actor as dead, if it was not yet [Y1]: what it leaves to be dropped.
    pub(super) fn give_up(&self, process: &Process) -> Option<Leavings> {
        let mut cut = process.end_ties()?;
        process.give_up();
        events::given_up(process);
        // SAFETY: [I3] the close makes this thread the last consumer of what
        // was sent; what the actor has drained stays its own.
        let messages = unsafe { process.mailbox.close(false) };
        process.set_urgent();
        let timers = Cut {
            timers: std::mem::take(&mut cut.timers),
            ..Cut::default()
        };
        drop(self.table.remove(process.pid()));
        self.release(process, &cut);
        self.count_exit(false);
        self.part(process, cut, &ExitReason::Killed);
        if process.is_main {
            self.main_ended(ExitReason::Killed);
        }
        Some(Leavings { messages, timers })
    }

    /// Those that were killed and have not come back, for the report.
    pub(super) fn stuck_condemned(&self) -> Vec<StuckActor> {
        let stuck = |process: &Process| process.is_given_up() && process.state() != State::Exited;
        let stuck = self.condemned.which(stuck);
        stuck
            .iter()
            .map(|process| StuckActor::of(process))
            .collect()
    }
}

/// The messages of an actor that has been given up, on their way to where a destructor of
/// the user's may run.
#[must_use]
pub(super) struct Leavings {
    messages: Option<Batch>,
    timers: Cut,
}

impl Drop for Leavings {
    fn drop(&mut self) {
        let _ending = context::Ending::enter(&ExitReason::Killed);
        drop(self.messages.take());
        contain(|| self.timers.tell_timers());
    }
}
