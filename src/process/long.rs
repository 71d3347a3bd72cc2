//! Mailboxes that have grown long, and the warning that says so.
//!
//! Senders know nothing of it. The owner looks when a batch has come that is too long by
//! itself, and at the end of each slice that leaves messages; for an owner that does not
//! look, somebody else does, now and then.
//!
//! `[B1]` Whoever sets `LONG` warns. The owner takes it back when half of the length is
//! gone; so a mailbox that stays about as long as it may be warns once.

use std::sync::atomic::Ordering;

use super::{Placement, Process, flag};
use crate::observe::events;
use crate::scheduler::context;

impl Process {
    /// Looks at its length when it may be too long. For the owner, who holds nothing of the
    /// store: a subscriber is told.
    #[cold]
    pub(super) fn has_grown(&self) {
        // SAFETY: [M4] the caller is the owner.
        let length = unsafe {
            self.mailbox.store(|store| {
                // So that the end of the slice looks, too.
                store.reported = true;
                store.kept().0
            })
        };
        self.note_length(length);
    }

    /// Notes how many messages it keeps. For the owner.
    pub(super) fn note_length(&self, length: usize) {
        let alarm = context::mailbox_alarm() as usize;
        if length > alarm {
            self.is_long_now(length);
        } else if length <= alarm / 2 && self.has(flag::LONG) {
            self.clear_long();
        }
    }

    /// Messages that have been sent to it and not received, as far as others can tell: what
    /// the owner keeps is what its last slice said.
    pub(crate) fn mailbox_len(&self) -> usize {
        self.ties.kept().0 + self.mailbox.undrained()
    }

    /// Looks at a mailbox of which the owner has not taken in all. For anyone.
    pub(crate) fn look_at_backlog(&self, alarm: usize) {
        let backlog = self.mailbox_len();
        if backlog > alarm {
            self.is_long_now(backlog);
        } else if self.placement == Placement::Outside && backlog <= alarm / 2 {
            // Nobody else does.
            self.clear_long();
        }
    }

    fn clear_long(&self) {
        self.flags.fetch_and(!flag::LONG, Ordering::Relaxed);
    }

    fn is_long_now(&self, length: usize) {
        if self.flags.fetch_or(flag::LONG, Ordering::Relaxed) & flag::LONG == 0 {
            events::long_mailbox(self, length);
        }
    }
}
