//! Links, monitors and exit signals between the actors of one runtime.
//!
//! Whoever calls here has no lock; what is delivered is one node in the receiver's queue
//! and a wake-up. So nothing recurses: a storm of exits is as many slices as there are
//! actors, each with a step for each of its ties.

use super::Shared;
use crate::mailbox::{NodeBox, Pushed};
use crate::observe::events;
use crate::process::{Cut, ExitReason, Pid, Placement, Process, ProcessRef};
use crate::signals::{Down, Exit, MonitorRef, Signal};

impl Shared {
    /// An actor that is there to be linked, monitored or looked at. (R31)
    pub(crate) fn find_actor(&self, pid: Pid) -> Option<ProcessRef> {
        if pid.runtime() != self.id {
            return None;
        }
        let process = self.table.get(pid)?;
        (process.placement != Placement::Outside && process.is_alive()).then_some(process)
    }

    /// The sender of what the runtime itself, or a thread outside of actors, signals.
    pub(crate) fn nobody(&self) -> Pid {
        Pid::nobody(self.id)
    }

    /// Links two actors; to a dead one it is the exit signal `NoProcess`. (R21)
    pub(crate) fn link(&self, caller: &Process, peer: Pid) {
        if peer == caller.pid() {
            return;
        }
        if let Some(new) = self.find_actor(peer).and_then(|peer| caller.link(&peer)) {
            if new {
                events::linked(caller.pid(), peer);
            }
            return;
        }
        if let Some(number) = caller.link_to_dead(peer) {
            self.signal(
                caller,
                Signal::Exit {
                    from: peer,
                    reason: ExitReason::NoProcess,
                    link: Some(number),
                },
            );
        }
    }

    /// Cuts a link. An `Exit` that has come through it and has not been received goes
    /// with it. (R21)
    pub(crate) fn unlink(&self, caller: &Process, peer: Pid) {
        if peer == caller.pid() {
            return;
        }
        let found = (peer.runtime() == self.id)
            .then(|| self.table.get(peer))
            .flatten();
        let was_linked = caller.unlink(peer, found.as_deref());
        caller.take_back_notices(|exit: &Exit| exit.linked && exit.from == peer);
        if was_linked {
            events::unlinked(caller.pid(), peer);
        }
    }

    /// Monitors an actor; of a dead one there is a `Down` at once. (R19)
    pub(crate) fn monitor(&self, caller: &Process, target: Pid) -> MonitorRef {
        let watcher = caller.pid();
        let Some(number) = caller.watch(target) else {
            // Counted dead in the middle of its code: it gets nothing any more.
            return MonitorRef { watcher, number: 0 };
        };
        let monitor = MonitorRef { watcher, number };
        if target == watcher {
            // Never observable.
            caller.unwatch(number);
            return monitor;
        }
        match self.find_actor(target) {
            Some(process) if caller.watch_at(number, &process) => {
                events::monitored(watcher, target);
            }
            _ => self.down(caller, number, target, ExitReason::NoProcess),
        }
        monitor
    }

    /// Takes a monitor down. Its `Down`, if it has not been received, goes with it.
    /// Whether it was still up. (R20)
    pub(crate) fn demonitor(&self, caller: &Process, monitor: MonitorRef) -> bool {
        if monitor.watcher != caller.pid() {
            return false;
        }
        let Some(target) = caller.unwatch(monitor.number) else {
            caller.take_back_notices(|down: &Down| down.monitor == monitor);
            return false;
        };
        if let Some(target) = self.table.get(target) {
            target.be_unwatched(monitor.watcher, monitor.number);
        }
        events::demonitored(monitor.watcher, target);
        true
    }

    fn down(&self, watcher: &Process, monitor: u64, pid: Pid, reason: ExitReason) {
        self.signal(
            watcher,
            Signal::Down {
                monitor,
                pid,
                reason,
            },
        );
    }

    /// Sends an exit signal. (R24)
    pub(crate) fn send_exit(&self, from: Pid, to: Pid, reason: ExitReason) {
        if let Some(process) = self.find_actor(to) {
            self.signal(
                &process,
                Signal::Exit {
                    from,
                    reason,
                    link: None,
                },
            );
        }
    }

    /// Sends a control signal, and wakes the receiver whatever it waits for.
    pub(super) fn signal(&self, process: &Process, signal: Signal) {
        // A `Down` wakes as a message does: who waits in a receive.
        let always = !matches!(signal, Signal::Down { .. });
        let node = NodeBox::control(signal);
        let Ok(pushed) = process.mailbox.incoming.push(node) else {
            return;
        };
        if always {
            process.set_urgent();
        }
        if always || pushed == Pushed::Wake {
            process.waker().wake_by_ref();
        }
    }

    /// Tells all that were tied to an actor that it has ended. When it has left the
    /// table, its names are free and its counters counted. (R19, R23, R29)
    pub(super) fn part(&self, process: &Process, cut: Cut, reason: &ExitReason) {
        let pid = process.pid();
        for (peer, number) in cut.links {
            if let Some(peer) = self.table.get(peer) {
                self.signal(
                    &peer,
                    Signal::Exit {
                        from: pid,
                        reason: reason.clone(),
                        link: Some(number),
                    },
                );
            }
        }
        for (watcher, number) in cut.watchers {
            if let Some(watcher) = self.table.get(watcher) {
                self.down(&watcher, number, pid, reason.clone());
            }
        }
        for (number, target) in cut.watching {
            if let Some(target) = self.table.get(target) {
                target.be_unwatched(pid, number);
            }
        }
    }
}
