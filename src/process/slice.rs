//! The two ends of a slice: what an owner looks at before the actor's code runs, and what it
//! leaves behind when the actor waits. [M3]

use std::sync::atomic::Ordering;
use std::task::Waker;

use super::{Process, State, Tally};
use crate::mailbox::Park;
use crate::scheduler::context;

impl Process {
    /// Wakes every receive that waits. For the owner.
    #[cold]
    pub(crate) fn wake_receives(&self) {
        // SAFETY: [M4][P2] the caller is the owner.
        let (task, own) = unsafe {
            self.mailbox.store(|store| {
                let own = store.take_wakers();
                (store.waits > 0, own)
            })
        };
        own.into_iter().for_each(Waker::wake);
        if task {
            self.waker().wake_by_ref();
        }
    }

    /// Looks for signals at the start of a slice. Whether an exit is decided. Closed
    /// counts as one: the actor has been given up, and ends now that it is back.
    ///
    /// While there are messages to look at, what has come since is left to grow in
    /// peace, unless a control signal is among it: each look takes the queue's cache
    /// line from the senders.
    #[inline]
    fn must_end(&self) -> bool {
        // SAFETY: [M4][P2] the caller is the owner.
        if let Some(store) = unsafe { self.mailbox.unlocked() }
            && store.has_front()
            && !self.is_urgent()
        {
            return store.exit().is_some();
        }
        self.drain()
    }

    /// Says that there is more than messages in the queue. After the push, before the
    /// wake-up.
    pub(crate) fn set_urgent(&self) {
        self.urgent.store(true, Ordering::SeqCst);
    }

    #[inline]
    pub(super) fn is_urgent(&self) -> bool {
        // ORDERING: the exchange is a full barrier: whoever sets the flag before it has
        // pushed before it, and the drain that follows finds the signal; whoever sets it
        // after, is seen at the next slice, which the wake-up that follows sees to.
        self.urgent.load(Ordering::Relaxed) && self.urgent.swap(false, Ordering::SeqCst)
    }

    /// Begins a slice: acts on signals, wakes receives with wakers of their own.
    /// Whether an exit is decided.
    #[inline]
    pub(crate) fn begin_slice(&self) -> bool {
        self.set_state(State::Running);
        let exits = self.must_end();
        // SAFETY: [M4][P2] the caller is the owner.
        if let Some(store) = unsafe { self.mailbox.unlocked() } {
            store.begin_slice();
            if store.is_plain() {
                return exits;
            }
        }
        // SAFETY: [M4][P2] the caller is the owner.
        let others = unsafe {
            self.mailbox
                .store(|store| store.has_waiters() && store.has_front())
        };
        if others {
            self.wake_receives();
        }
        exits
    }

    /// Ends a slice after which the actor waits [M3]. Whether an exit is decided.
    #[inline]
    pub(crate) fn end_slice(&self) -> bool {
        // SAFETY: [M4][P2] the caller is the owner.
        if let Some(store) = unsafe { self.mailbox.unlocked() }
            && store.is_plain()
            && !store.is_bounded()
            && store.waits > 0
            && !store.reported
            && self.mailbox.incoming.is_parked()
        {
            self.set_state(State::WaitingMessage);
            return false;
        }
        self.end_slice_otherwise()
    }

    fn end_slice_otherwise(&self) -> bool {
        self.mailbox.hand_on();
        // SAFETY: [M4][P2] the caller is the owner.
        let (exits, receives, kept, reported) = unsafe {
            self.mailbox.store(|store| {
                let kept = store.kept();
                (
                    store.exit().is_some(),
                    store.waits > 0 || store.has_waiters(),
                    kept,
                    std::mem::replace(&mut store.reported, kept.0 > 0),
                )
            })
        };
        if kept.0 > 0 || reported {
            self.report_kept(kept);
        }
        if exits || self.mailbox.incoming.is_closed() {
            return true;
        }
        if receives {
            match self.mailbox.incoming.park() {
                Park::Parked => {}
                // Others took what came: those that still wait must look.
                Park::Signals => self.wake_receives(),
                Park::Closed => return true,
            }
        } else {
            // A message wakes an actor only if it waits in a receive (R63).
            self.mailbox.incoming.unpark();
        }
        self.set_state(if receives {
            State::WaitingMessage
        } else {
            context::waits_for()
        });
        false
    }

    /// Counts a slice, and what it has spent. For the owner.
    #[inline]
    pub(crate) fn count_slice(&self, spent: i64) {
        const HALF_FULL: u64 = 1 << 63 | 1 << 31;
        let slice = 1 << 32 | spent.clamp(0, i64::from(i32::MAX)) as u64;
        let tally = self.tally.load(Ordering::Relaxed) + slice;
        self.tally.store(tally, Ordering::Relaxed);
        if tally & HALF_FULL != 0 {
            self.tally.store(0, Ordering::Relaxed);
            self.ties.count(Tally::from(tally));
        }
    }

    /// Says how many messages are kept, for `process_info` and for the alarm. For the owner.
    #[cold]
    fn report_kept(&self, kept: (usize, usize)) {
        self.ties.report(kept);
        self.note_length(kept.0);
    }
}
