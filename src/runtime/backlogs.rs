//! The mailbox alarm of actors that take in nothing: they wait for something other than a
//! message, or don't come back from their own code.
//!
//! Only the reactor's thread can notice those. While the watch ticks it goes round the process
//! table, a shard at a time, and looks closer at mailboxes in which something lies.

use super::Shared;
use crate::observe::events;
use crate::process::Table;

/// Ticks of the watch from one shard to the next: some 16 ms, so that a round takes a
/// second. With a million actors a shard has 16,000, some half a millisecond.
const TICKS: usize = 4;

/// Where the round is.
#[derive(Default)]
pub(super) struct Round {
    ticks: usize,
}

impl Shared {
    /// For each tick of the watch.
    pub(super) fn watch_backlogs(&self, round: &mut Round) {
        let alarm = self.config.mailbox_alarm;
        if alarm == u32::MAX || !events::warns() {
            return;
        }
        round.ticks += 1;
        if !round.ticks.is_multiple_of(TICKS) {
            return;
        }
        let shard = round.ticks / TICKS % Table::SHARDS;
        let some = self
            .table
            .in_shard(shard, |process| process.mailbox.incoming.has_signals());
        for process in some {
            process.look_at_backlog(alarm as usize);
        }
    }
}
