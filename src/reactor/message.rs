//! Messages that are sent later, once or at an interval. See [`stage`] for how those that
//! send it, cancel it or end its target get on with each other.
//!
//! One message into an unbounded mailbox is sent by the reactor's thread: it hands on a
//! node that has been made by whoever started the timer. All that may clone or drop a
//! user's value, intervals and bounded mailboxes, is sent by a worker.

mod stage;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::wheel::Moment;
use super::{Due, Job, Key, Reactor, span, with_reactor};
use crate::mailbox::{Mark, NodeBox, Pushed, Refused};
use crate::observe::events;
use crate::process::{ExitReason, Panicked, ProcessRef, Tied, contain};
use crate::scheduler::context;
use stage::{HandedOn, Stage};

/// What a timer counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Measure {
    /// Nanoseconds of the runtime's clock.
    Time,
    /// Ticks of a manual runtime.
    Ticks,
}

/// What is to be sent.
pub(crate) enum Load {
    Once(NodeBox),
    Every {
        period: Moment,
        message: Box<dyn Repeat>,
    },
}

/// A message that can be sent again and again.
pub(crate) trait Repeat: Send {
    /// A clone of it, by user code.
    fn again(&self) -> NodeBox;
}

impl<M: Clone + Send + 'static> Repeat for M {
    fn again(&self) -> NodeBox {
        NodeBox::markable(self.clone())
    }
}

/// One message, or one interval's, on its way to one target.
pub(crate) struct MessageTimer {
    target: ProcessRef,
    /// The runtime whose wheel it is on.
    runtime: u32,
    measure: Measure,
    /// Its messages in the target's mailbox.
    unreceived: AtomicUsize,
    state: Mutex<State>,
}

struct State {
    stage: Stage<Load>,
    at: Moment,
    key: Option<Key>,
    tie: Option<usize>,
}

/// Why a load was not handed on.
enum Stays {
    /// It is for a worker.
    ForWorker,
    /// The mailbox is closed. [G3]
    Closed,
}

impl Mark for MessageTimer {
    fn unreceived(&self) -> &AtomicUsize {
        &self.unreceived
    }
}

impl Reactor {
    /// Sends a load to `target` when so much has passed. `None` for a target: it is gone.
    pub(crate) fn send_later(
        &self,
        target: &ProcessRef,
        measure: Measure,
        after: Moment,
        load: Load,
    ) -> Arc<MessageTimer> {
        let now = self.read(measure);
        let at = self.later(measure, now, after);
        let timer = Arc::new(MessageTimer {
            target: target.clone(),
            runtime: self.runtime,
            measure,
            unreceived: AtomicUsize::new(0),
            state: Mutex::new(State {
                stage: Stage::Pending(load),
                at,
                key: None,
                tie: None,
            }),
        });
        // The lock is held, so that an end of the target that comes now finds all set.
        let mut state = timer.state();
        state.tie = target.tie(timer.clone());
        if state.tie.is_some() {
            match self.start_on(self.wheel(measure), at, now, Due::Message(timer.clone())) {
                Ok(key) => state.key = Some(key),
                Err(due) => {
                    let tie = state.tie.take();
                    drop(state);
                    drop(due);
                    timer.untie(tie);
                    timer.abandon();
                    return timer;
                }
            }
            drop(state);
        } else {
            drop(state);
            timer.abandon();
        }
        timer
    }
}

impl MessageTimer {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn untie(&self, tie: Option<usize>) {
        if let Some(tie) = tie {
            self.target.untie(tie);
        }
    }

    /// It is due. For the reactor's thread, which sends it if that is no user code.
    pub(super) fn due(self: Arc<Self>) -> Option<Job> {
        let mut state = self.state();
        let handed_on = state.stage.hand_on(|load| match load {
            Load::Once(mut node) if self.target.mailbox.bound.is_none() => {
                node.mark(self.clone());
                let pushed = self.target.mailbox.incoming.push(node);
                pushed.map_err(|node| (Load::Once(node), Stays::Closed))
            }
            load => Err((load, Stays::ForWorker)),
        });
        match handed_on {
            HandedOn::Sent(pushed) => {
                let tie = state.tie.take();
                drop(state);
                self.sent(pushed);
                self.untie(tie);
                None
            }
            HandedOn::Stays(Stays::ForWorker) => {
                drop(state);
                Some(Job::Send(self))
            }
            HandedOn::Stays(Stays::Closed) | HandedOn::NotPending => None,
        }
    }

    fn sent(&self, pushed: Pushed) {
        events::message_fired(self.target.pid());
        if pushed == Pushed::Wake {
            self.target.waker().wake_by_ref();
        }
    }

    /// Sends it. For a worker.
    pub(super) fn send(self: Arc<Self>, reactor: &Reactor) {
        let Some(load) = self.state().stage.begin() else {
            return;
        };
        match load {
            Load::Once(node) => self.deliver(node, |_| None),
            Load::Every { period, message } => {
                match catch_unwind(AssertUnwindSafe(|| message.again())) {
                    Ok(node) => self.deliver(node, |state| {
                        self.rewind(reactor, state, period);
                        Some(Load::Every { period, message })
                    }),
                    Err(payload) => {
                        let panic = Panicked::from_payload(payload);
                        events::interval_panicked(&self.target, &panic);
                        contain(|| drop(message));
                        self.end(self.state());
                    }
                }
            }
        }
    }

    /// Sets the next tick: on the schedule, and skips what has been missed.
    fn rewind(self: &Arc<Self>, reactor: &Reactor, state: &mut State, period: Moment) {
        let now = reactor.read(self.measure);
        let late = now.saturating_sub(state.at);
        state.at = reactor.later(self.measure, state.at, (late / period + 1) * period);
        let due = Due::Message(self.clone());
        let wheel = reactor.wheel(self.measure);
        state.key = reactor.start_on(wheel, state.at, now, due).ok();
    }

    /// Puts a node into the mailbox, and keeps what `next` says for another time, unless the
    /// timer has come to its end meanwhile.
    fn deliver(self: &Arc<Self>, mut node: NodeBox, next: impl FnOnce(&mut State) -> Option<Load>) {
        let mut dropped = None;
        let mut full = false;
        node.mark(self.clone());
        let mut state = self.state();
        if state.stage.is_over() {
            drop(state);
            // With them goes the load.
            contain(|| drop(next));
            contain(|| drop(node));
            return;
        }
        let pushed = match self.target.mailbox.send_node(node, &mut dropped) {
            Ok(pushed) => Some(pushed),
            Err(Refused::Full(node)) => {
                full = true;
                dropped = Some(node);
                None
            }
            // [G3]
            Err(Refused::Gone(node)) => {
                dropped = Some(node);
                None
            }
        };
        let tie = match next(&mut state) {
            Some(load) => {
                state.stage.again(load);
                None
            }
            None => {
                state.stage.finish();
                state.tie.take()
            }
        };
        drop(state);
        if let Some(pushed) = pushed {
            self.sent(pushed);
        }
        self.untie(tie);
        if let Some(dropped) = dropped {
            if full || pushed.is_some() {
                crate::runtime::count_mailbox_drop(&self.target);
            }
            contain(|| drop(dropped));
        }
    }

    /// Takes it back. What was left of its time, if it had not been sent.
    pub(crate) fn cancel(&self) -> Option<Duration> {
        let (was, at, load) = self.end(self.state());
        if was {
            events::message_cancelled(self.target.pid());
        }
        let left = was.then(|| match self.measure {
            Measure::Time => with_reactor(self.runtime, |reactor| {
                let now = reactor.map_or(at, |reactor| reactor.read(Measure::Time));
                span(at.saturating_sub(now))
            }),
            Measure::Ticks => Duration::ZERO,
        });
        drop(load);
        // ORDERING: pairs with the receiver's release.
        if self.unreceived.load(Ordering::Acquire) > 0
            && let Some(caller) = context::try_current()
            && caller.pid() == self.target.pid()
        {
            drop(caller.take_back(std::ptr::from_ref(self).cast()));
        }
        left
    }

    /// Ends it: whether that was before its end, when it was to be sent, and what.
    fn end(&self, mut state: MutexGuard<'_, State>) -> (bool, Moment, Option<Load>) {
        let (was, load) = state.stage.end();
        let (at, key, tie) = (state.at, state.key.take(), state.tie.take());
        drop(state);
        if let Some(key) = key {
            let due = with_reactor(self.runtime, |reactor| reactor?.cancel(key));
            drop(due);
        }
        self.untie(tie);
        (was, at, load)
    }

    /// Ends it because it can't be sent any more.
    pub(super) fn abandon(&self) {
        let (_, _, load) = self.end(self.state());
        let _ending = context::Ending::enter(&ExitReason::NoProcess);
        contain(|| drop(load));
    }

    /// Whether it is still to be sent.
    pub(crate) fn is_pending(&self) -> bool {
        !self.state().stage.is_over()
    }
}

impl Tied for MessageTimer {
    fn target_ended(&self) {
        let (_, _, load) = self.end(self.state());
        // A `ReplyTo` in it fails with the reason of the end in progress.
        contain(|| drop(load));
    }
}
