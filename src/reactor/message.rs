//! Messages that are sent later, once or at an interval.
//!
//! ```text
//!              due, sent                     cancel, or the target's end
//!   Pending ───────────────▶ Over ◀───────────────────────────────────── Pending, Busy
//!      │  ▲
//!      │  └── sent: the next tick
//!      └─────────────────────▶ Busy        a worker clones an interval's message
//! ```
//!
//! * `[G1]` Whoever takes the load out of `Pending` owns it: the one that sends, that
//!   cancels, or that ends the target. It is never dropped on the reactor's thread.
//! * `[G2]` A message is put into the mailbox under the lock that `cancel` takes, while
//!   the stage is not `Over`: so nothing is sent after `cancel` has returned.
//! * `[G3]` A timer that is `Pending` or `Busy` is tied to its target, so that the
//!   target's end finds it. What finds the mailbox closed stays `Pending`: that end is on
//!   its way.
//!
//! One message into an unbounded mailbox is sent by the reactor's thread: it hands on a
//! node that has been made by whoever started the timer. All that may clone or drop a
//! user's value, intervals and bounded mailboxes, is sent by a worker.

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
    stage: Stage,
    at: Moment,
    key: Option<Key>,
    tie: Option<usize>,
}

enum Stage {
    Pending(Load),
    Busy,
    Over,
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
        match std::mem::replace(&mut state.stage, Stage::Over) {
            Stage::Pending(Load::Once(mut node)) if self.target.mailbox.bound.is_none() => {
                node.mark(self.clone());
                match self.target.mailbox.incoming.push(node) {
                    Ok(pushed) => {
                        let tie = state.tie.take();
                        drop(state);
                        self.sent(pushed);
                        self.untie(tie);
                    }
                    // [G3]
                    Err(node) => state.stage = Stage::Pending(Load::Once(node)),
                }
                None
            }
            Stage::Pending(load) => {
                state.stage = Stage::Pending(load);
                drop(state);
                Some(Job::Send(self))
            }
            stage @ (Stage::Busy | Stage::Over) => {
                state.stage = stage;
                None
            }
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
        let load = {
            let mut state = self.state();
            match std::mem::replace(&mut state.stage, Stage::Busy) {
                Stage::Pending(load) => load,
                stage => {
                    state.stage = stage;
                    return;
                }
            }
        };
        match load {
            Load::Once(node) => self.deliver(node, |_| Stage::Over),
            Load::Every { period, message } => {
                match catch_unwind(AssertUnwindSafe(|| message.again())) {
                    Ok(node) => self.deliver(node, |state| {
                        self.rewind(reactor, state, period);
                        Stage::Pending(Load::Every { period, message })
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

    /// Puts a node into the mailbox, and goes on to the stage that `next` says, unless the
    /// timer has come to its end meanwhile.
    fn deliver(self: &Arc<Self>, mut node: NodeBox, next: impl FnOnce(&mut State) -> Stage) {
        let mut dropped = None;
        let mut full = false;
        node.mark(self.clone());
        let mut state = self.state();
        if matches!(state.stage, Stage::Over) {
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
        state.stage = next(&mut state);
        let tie = match state.stage {
            Stage::Over => state.tie.take(),
            _ => None,
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
        let (was, load) = match std::mem::replace(&mut state.stage, Stage::Over) {
            Stage::Pending(load) => (true, Some(load)),
            Stage::Busy => (true, None),
            Stage::Over => (false, None),
        };
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
        !matches!(self.state().stage, Stage::Over)
    }
}

impl Tied for MessageTimer {
    fn target_ended(&self) {
        let (_, _, load) = self.end(self.state());
        // A `ReplyTo` in it fails with the reason of the end in progress.
        contain(|| drop(load));
    }
}
