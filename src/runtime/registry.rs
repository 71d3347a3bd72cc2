//! The living runtimes of this OS process, by the number that is in their pids.
//!
//! For the rare ways that lead from a pid to its runtime when that may be gone:
//! dead letters, and deadlines outside of actors.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError, RwLock, Weak};

use super::Shared;
use crate::observe::events;
use crate::process::{Pid, Process};
use crate::reactor::Reactor;

static LAST: AtomicU32 = AtomicU32::new(0);
static RUNTIMES: RwLock<BTreeMap<u32, Weak<Shared>>> = RwLock::new(BTreeMap::new());

/// A number that no other runtime of this OS process has.
pub(super) fn new_number() -> u32 {
    let number = LAST
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_add(1))
        .expect("uproar: 2^32 runtimes have been made in this process");
    number + 1
}

pub(super) fn enter(shared: &Arc<Shared>) {
    RUNTIMES
        .write()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(shared.id, Arc::downgrade(shared));
}

pub(super) fn leave(number: u32) {
    RUNTIMES
        .write()
        .unwrap_or_else(PoisonError::into_inner)
        .remove(&number);
}

fn find(number: u32) -> Option<Arc<Shared>> {
    RUNTIMES
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .get(&number)?
        .upgrade()
}

/// The reactor of a runtime, if that is alive.
pub(crate) fn reactor_of(number: u32) -> Option<Arc<Reactor>> {
    find(number).map(|shared| Arc::clone(&shared.scheduler.reactor))
}

/// Counts and traces a message that nobody will receive (R3).
#[cold]
pub(crate) fn count_dead_letter(to: Pid, message: &'static str) {
    events::dead_letter(to, message);
    if let Some(shared) = find(to.runtime()) {
        shared.dead_letters.add_shared(1);
    }
}

/// Counts and traces a message that a full mailbox dropped (R60).
#[cold]
pub(crate) fn count_mailbox_drop(of: &Process) {
    events::mailbox_drop(of);
    if let Some(shared) = find(of.pid().runtime()) {
        shared.mailbox_drops.add_shared(1);
    }
}
