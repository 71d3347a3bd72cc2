//! What has come for an actor: drained from its incoming queue by the owner, messages put
//! to the front, control signals acted on in their places.

use super::{ExitReason, Pid, Process, contain, flag};
use crate::mailbox::{Batch, Peek, Store, Taken};
use crate::scheduler::context;
use crate::signals::{Down, Effect, Exit, MonitorRef, Origin, Signal, Wishes, decide};

impl Process {
    /// Acts on what has come. Whether an exit is decided. For the owner.
    #[inline(always)]
    pub(crate) fn drain(&self) -> bool {
        // SAFETY: [M4][P2] the caller is the owner.
        if let Some(store) = unsafe { self.mailbox.unlocked() } {
            match self.mailbox.incoming.peek() {
                Peek::Nothing => return store.exit().is_some(),
                Peek::Closed => return true,
                Peek::Signals => {}
            }
            let Taken {
                batch,
                control,
                messages,
            } = self.mailbox.incoming.take_counted();
            if !control {
                store.take_in(batch, messages);
                let exits = store.exit().is_some();
                if messages > context::mailbox_alarm() {
                    self.has_grown();
                }
                return exits;
            }
            return self.act_on(batch);
        }
        self.drain_locked()
    }

    /// Takes in a batch that has control signals. Whether an exit is decided.
    #[cold]
    fn act_on(&self, batch: Batch) -> bool {
        // SAFETY: [M4][P2] the caller is the owner.
        let (exits, unused, kept) = unsafe {
            self.mailbox.store(|store| {
                store.arrive(batch, &mut |store, signal| self.act(store, signal));
                let unused = store.take_unused_reasons();
                (store.exit().is_some(), unused, store.kept().0)
            })
        };
        for reason in unused {
            contain(|| drop(reason));
        }
        if kept > context::mailbox_alarm() as usize {
            self.has_grown();
        }
        exits
    }

    /// Acts on a control signal [L1].
    fn act(&self, store: &mut Store, signal: Signal) {
        match signal {
            Signal::Kill => store.decide_exit(ExitReason::Killed),
            Signal::Exit { from, reason, link } => {
                if link.is_some_and(|number| !self.end_link(from, number)) {
                    return store.keep_reason(reason);
                }
                self.act_on_exit(store, from, reason, link.is_some());
            }
            Signal::Down {
                monitor,
                pid,
                reason,
            } => {
                if self.unwatch(monitor).is_none() {
                    return store.keep_reason(reason);
                }
                let monitor = MonitorRef {
                    watcher: self.pid(),
                    number: monitor,
                };
                store.notice(Down {
                    monitor,
                    pid,
                    reason,
                });
            }
        }
    }

    fn act_on_exit(&self, store: &mut Store, from: Pid, reason: ExitReason, linked: bool) {
        let origin = match linked {
            true => Origin::Link,
            false if from == self.pid() => Origin::SentToSelf,
            false => Origin::Sent,
        };
        let wishes = Wishes {
            trap_exit: self.has(flag::TRAP_EXIT),
            graceful_stop: self.has(flag::GRACEFUL_STOP),
        };
        match decide(&reason, origin, wishes) {
            Effect::Ignored => store.keep_reason(reason),
            Effect::Stops => self.set(flag::STOPPING),
            Effect::Ends => store.decide_exit(reason),
            Effect::Notice => store.notice(Exit {
                from,
                reason,
                linked,
            }),
        }
    }

    #[cold]
    fn drain_locked(&self) -> bool {
        // SAFETY: [M4][P2] the caller is the owner.
        unsafe {
            self.mailbox.drain(|store, signal| self.act(store, signal));
            for reason in self.mailbox.store(Store::take_unused_reasons) {
                contain(|| drop(reason));
            }
            self.mailbox.incoming.is_closed() || self.mailbox.store(|store| store.exit().is_some())
        }
    }
}
