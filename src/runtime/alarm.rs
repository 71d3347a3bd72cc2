//! An actor that blocks its worker is named.

use super::Shared;
use crate::observe::events;
use crate::scheduler::WATCH_TICK;

impl Shared {
    /// Looks, after each tick of the watch, for slices that have just lasted too long.
    pub(super) fn watch_slices(&self) {
        let limit = self.config.slice_alarm;
        let ticks = limit.as_nanos().div_ceil(WATCH_TICK.as_nanos());
        let ticks = u32::try_from(ticks).unwrap_or(u32::MAX).max(2);
        for worker in self.scheduler.still_for(ticks) {
            events::blocks_worker(limit, worker, &|| self.running_on(worker));
        }
    }
}
