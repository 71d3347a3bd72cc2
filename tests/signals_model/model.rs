//! The rules for links, monitors and exits, one signal after the other.

use std::collections::{BTreeSet, VecDeque};

use crate::ops::{Event, Id, Op, Reason};

#[derive(Default)]
pub struct Actor {
    pub dead: bool,
    /// Killed in this step: dead for all who look.
    doomed: bool,
    traps: bool,
    holds: bool,
    pub sleeps: bool,
    links: BTreeSet<Id>,
    /// Target, and whether it is up.
    monitors: Vec<(Id, bool)>,
    /// Queued and not received.
    queued: Vec<(Event, bool)>,
    pub log: Vec<Event>,
}

#[derive(Default)]
pub struct Model {
    pub actors: Vec<Actor>,
    /// Signals on their way.
    signals: VecDeque<(Id, Signal)>,
}

#[derive(Debug)]
enum Signal {
    Exit {
        from: Id,
        reason: Reason,
        linked: bool,
    },
    Kill,
    Down {
        number: usize,
        reason: Reason,
    },
}

impl Model {
    fn is_there(&self, id: Id) -> bool {
        self.actors.get(id).is_some_and(|a| !a.dead && !a.doomed)
    }

    /// Whether an op may end someone. With one such a step there is one cause, and so one
    /// reason, whatever the order in which its effects spread.
    fn is_lethal(&self, own: Id, op: Op) -> bool {
        match op {
            Op::SendExit(..) | Op::Kill(_) | Op::Exit(_) | Op::Return(_) => true,
            Op::Link(id) => id != own && id < self.actors.len() && !self.is_there(id),
            _ => false,
        }
    }

    /// What of a step's ops is done; done here.
    pub fn plan(&mut self, own: Id, ops: &[Op]) -> Vec<Op> {
        let mut lethal = false;
        let mut planned = Vec::new();
        for &op in ops {
            if self.is_lethal(own, op) {
                if lethal {
                    continue;
                }
                lethal = true;
            }
            planned.push(op);
            if let Op::Exit(reason) | Op::Return(reason) = op {
                // What has come to it by now comes first.
                self.settle_own(own);
                self.die(own, reason);
                break;
            }
            self.act(own, op);
        }
        self.settle();
        planned
    }

    fn act(&mut self, own: Id, op: Op) {
        let known = |id: Id| id < self.actors.len();
        match op {
            Op::Spawn { link, monitor } => {
                let child = self.actors.len();
                self.actors.push(Actor::default());
                if link {
                    self.link(own, child);
                }
                if monitor {
                    self.actors[own].monitors.push((child, true));
                }
            }
            Op::Link(id) if known(id) && id != own => {
                if self.is_there(id) {
                    self.link(own, id);
                } else if self.actors[own].links.insert(id) {
                    let signal = Signal::Exit {
                        from: id,
                        reason: Reason::NoProcess,
                        linked: true,
                    };
                    self.signals.push_back((own, signal));
                }
            }
            Op::Unlink(id) if known(id) => {
                if self.actors[own].links.remove(&id) {
                    self.actors[id].links.remove(&own);
                }
                let theirs = |e: &Event| matches!(e, Event::Exit(from, _) if *from == id);
                let queued = &mut self.actors[own].queued;
                queued.retain(|(event, linked)| !(*linked && theirs(event)));
            }
            Op::Monitor(id) if known(id) => {
                let number = self.actors[own].monitors.len();
                self.actors[own].monitors.push((id, id != own));
                if id != own && !self.is_there(id) {
                    let reason = Reason::NoProcess;
                    let signal = Signal::Down { number, reason };
                    self.signals.push_back((own, signal));
                }
            }
            Op::Demonitor(n) if !self.actors[own].monitors.is_empty() => {
                let number = n % self.actors[own].monitors.len();
                let up = std::mem::take(&mut self.actors[own].monitors[number].1);
                let its = |e: &Event| matches!(e, Event::Down(n, ..) if *n == number);
                self.actors[own].queued.retain(|(event, _)| !its(event));
                self.actors[own].log.push(Event::Demonitored(number, up));
            }
            Op::Trap(trap) => {
                let before = std::mem::replace(&mut self.actors[own].traps, trap);
                self.actors[own].log.push(Event::WasTrapping(before));
            }
            Op::Send(id, n) if known(id) => self.receives(id, Event::Message(n), false),
            Op::SendExit(id, reason) if self.is_there(id) => {
                let linked = false;
                let signal = Signal::Exit {
                    from: own,
                    reason,
                    linked,
                };
                self.signals.push_back((id, signal));
            }
            Op::Kill(id) if self.is_there(id) => {
                self.actors[id].doomed = true;
                self.signals.push_back((id, Signal::Kill));
            }
            Op::Hold(hold) => self.actors[own].holds = hold,
            Op::Sleep => self.actors[own].sleeps = true,
            _ => {}
        }
    }

    fn link(&mut self, a: Id, b: Id) {
        self.actors[a].links.insert(b);
        self.actors[b].links.insert(a);
    }

    fn receives(&mut self, id: Id, event: Event, linked: bool) {
        if !self.actors[id].dead {
            self.actors[id].queued.push((event, linked));
        }
    }

    pub fn settle(&mut self) {
        while let Some((to, signal)) = self.signals.pop_front() {
            self.receive(to, signal);
        }
        for actor in &mut self.actors {
            if !actor.holds && !actor.sleeps && !actor.dead {
                actor
                    .log
                    .extend(actor.queued.drain(..).map(|(event, _)| event));
            }
        }
    }

    fn settle_own(&mut self, own: Id) {
        let signals = std::mem::take(&mut self.signals);
        for (to, signal) in signals {
            if to == own {
                self.receive(to, signal);
            } else {
                self.signals.push_back((to, signal));
            }
        }
    }

    fn receive(&mut self, to: Id, signal: Signal) {
        if self.actors[to].dead {
            return;
        }
        match signal {
            Signal::Kill => self.die(to, Reason::Killed),
            Signal::Exit {
                from,
                reason,
                linked,
            } => {
                if linked && !self.actors[to].links.remove(&from) {
                    return;
                }
                if self.actors[to].traps {
                    self.receives(to, Event::Exit(from, reason), linked);
                } else if reason != Reason::Normal || from == to {
                    self.die(to, reason);
                }
            }
            Signal::Down { number, reason } => {
                let (target, up) = &mut self.actors[to].monitors[number];
                let target = *target;
                if std::mem::take(up) {
                    self.receives(to, Event::Down(number, target, reason), false);
                }
            }
        }
    }

    fn die(&mut self, id: Id, reason: Reason) {
        if std::mem::replace(&mut self.actors[id].dead, true) {
            return;
        }
        for peer in std::mem::take(&mut self.actors[id].links) {
            // One whose link says otherwise has made it to a dead one, and been told.
            let signal = Signal::Exit {
                from: id,
                reason,
                linked: true,
            };
            self.signals.push_back((peer, signal));
        }
        for watcher in 0..self.actors.len() {
            for number in 0..self.actors[watcher].monitors.len() {
                if self.actors[watcher].monitors[number] == (id, true) {
                    let signal = Signal::Down { number, reason };
                    self.signals.push_back((watcher, signal));
                }
            }
        }
    }
}
