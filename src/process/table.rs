//! The table Pid → process.
//!
//! `[T1]` A slot's generations only grow, so a pid never names the slot's next tenant.
//! `[T2]` An entry is there from before the actor's first slice until its end.

use std::num::NonZeroU64;
use std::sync::{Mutex, MutexGuard, PoisonError};

use slab::Slab;

use super::{Pid, Placement, Process, ProcessRef};
use crate::sync::CachePadded;

const SHARD_BITS: u32 = 6;
const SHARDS: usize = 1 << SHARD_BITS;
/// Slots in a shard: what is left of the 32 bits of a pid's index.
const SLOTS: usize = 1 << (32 - SHARD_BITS);

struct Shard {
    slots: Slab<ProcessRef>,
    /// Entries that this shard has ever had.
    generation: u64,
}

pub(crate) struct Table {
    shards: Box<[CachePadded<Mutex<Shard>>]>,
}

impl Table {
    pub(crate) const SHARDS: usize = SHARDS;

    pub(crate) fn new() -> Self {
        let shard = || {
            CachePadded(Mutex::new(Shard {
                slots: Slab::new(),
                generation: 0,
            }))
        };
        Table {
            shards: (0..SHARDS).map(|_| shard()).collect(),
        }
    }

    fn shard(&self, i: usize) -> MutexGuard<'_, Shard> {
        self.shards[i]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters a process, telling it its pid before anyone can find it.
    ///
    /// `near` spreads the callers over the shards: one that always says the same
    /// number always meets the same lock.
    pub(crate) fn insert(
        &self,
        runtime: u32,
        near: usize,
        process: ProcessRef,
        name: impl FnOnce(&ProcessRef, Pid),
    ) {
        for at in 0..SHARDS {
            let number = (near + at) % SHARDS;
            let mut shard = self.shard(number);
            let slot = shard.slots.vacant_key();
            if slot >= SLOTS {
                continue;
            }
            shard.generation += 1;
            let generation = NonZeroU64::new(shard.generation).expect("counted from one");
            let index = ((slot as u32) << SHARD_BITS) | number as u32;
            name(&process, Pid::new(runtime, index, generation));
            shard.slots.insert(process);
            return;
        }
        panic!("uproar: 2^32 actors are alive; end some before spawning more");
    }

    fn place(pid: Pid) -> (usize, usize) {
        let index = pid.index() as usize;
        (index % SHARDS, index / SHARDS)
    }

    pub(crate) fn get(&self, pid: Pid) -> Option<ProcessRef> {
        let (shard, slot) = Self::place(pid);
        let shard = self.shard(shard);
        let process = shard.slots.get(slot)?;
        (process.pid() == pid).then(|| process.clone())
    }

    /// Takes a process out. The caller drops it, with no lock held.
    pub(crate) fn remove(&self, pid: Pid) -> Option<ProcessRef> {
        let (shard, slot) = Self::place(pid);
        let mut shard = self.shard(shard);
        if shard.slots.get(slot)?.pid() != pid {
            return None;
        }
        let process = shard.slots.remove(slot);
        if shard.slots.is_empty() && shard.slots.capacity() > 1024 {
            shard.slots.shrink_to_fit();
        }
        Some(process)
    }

    /// One of those that `which` says, if there are any.
    pub(crate) fn find(&self, which: impl Fn(&Process) -> bool) -> Option<ProcessRef> {
        (0..SHARDS).find_map(|i| {
            let shard = self.shard(i);
            let found = shard.slots.iter().find(|(_, process)| which(process));
            found.map(|(_, process)| process.clone())
        })
    }

    /// Those of a shard that `which` says.
    pub(crate) fn in_shard(
        &self,
        shard: usize,
        which: impl Fn(&Process) -> bool,
    ) -> Vec<ProcessRef> {
        let shard = self.shard(shard);
        let all = shard.slots.iter().map(|(_, process)| process);
        all.filter(|process| which(process)).cloned().collect()
    }

    /// All processes, shard by shard.
    pub(crate) fn all(&self) -> Vec<ProcessRef> {
        let mut all = Vec::new();
        for i in 0..SHARDS {
            all.extend(self.shard(i).slots.iter().map(|(_, p)| p.clone()));
        }
        all
    }

    /// All actors' pids, in the order of their slots.
    pub(crate) fn pids(&self) -> Vec<Pid> {
        let mut all = Vec::new();
        for i in 0..SHARDS {
            let shard = self.shard(i);
            let actors = shard.slots.iter().map(|(_, p)| p);
            let actors = actors.filter(|p| p.placement != Placement::Outside);
            all.extend(actors.map(|p| p.pid()));
        }
        all
    }
}

#[cfg(all(test, not(uproar_loom)))]
#[path = "table/tests.rs"]
mod tests;
