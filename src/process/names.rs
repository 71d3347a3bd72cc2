//! The table name → actor of one runtime.
//!
//! * `[N1]` A name has one entry, and an actor one name: of several that want to take one, one
//!   does, and the first stays.
//! * `[N2]` A name is free exactly if nobody who is alive has it. An entry of an actor that is
//!   dead for others, by a kill or in its end, is no obstacle, and nobody finds it; so a name is
//!   free before any `Down` says so, also one that a monitor of a dying actor gives at once.
//! * `[N3]` No entry outlives its actor's end. The name is a tie of the actor [J1]: it is put
//!   into the actor's block and into the table under the lock of the name, so an end that comes
//!   before refuses it, and an end that comes after finds it, waits for that lock, and takes the
//!   entry out, unless another has it by then.
//! * `[N4]` The locks are held for a look-up, or to enter an actor. Nothing is delivered, no
//!   reference to an actor is dropped, and no code of a user's runs, while one is held.
//!
//! The lock of a name comes before that of a block, and before those of the process table; none is
//! taken under one of these.
//!
//! Checked by the models and tests in `names/`; through the whole runtime by `tests/names.rs`.
//!
//! # Why it is like this
//!
//! Looking up is what happens most, so readers do not exclude each other. The maps are hashed: a
//! look-up in one with 10 or with 1,000 names takes 26 to 30 ns, half of it for the hash, beside 9 to
//! 43 in a `BTreeMap`; with 100,000 names, taken at random, 230 ns beside 680, nearly all of it cache
//! misses. A second hash for the choice of the shard takes 15 ns more, so that is a multiplication.
//! A mutex in place of the read-write lock costs the same while nobody else looks. What it comes to
//! in calls (`benches/names.rs`, two cores), with 10, 1,000 and 100,000 names:
//!
//! | ns | one worker | two at once |
//! |---|--:|--:|
//! | `where_is` | 30, 39, 360 | 33, 60, 390 |
//! | `where_is_as` | 36, 47, 410 | 37, 70, 360 |
//! | `send` and receive | 37, 35, 36 | 38, 38, 38 |
//! | `send_named` and receive | 67, 70, 71 | 68, 71, 71 |
//! | `register` and `unregister` | 122, 127, 127 | 147, 153, 153 |
//! | spawn, end and `Down` | 407, 415, 413 | 442, 448, 453 |
//! | the same with a name | 567, 569, 563 | 843, 722, 848 |

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, DefaultHasher, Hasher};
use std::sync::{Arc, PoisonError};

use super::ties::{Ties, Unnamable};
use super::{Pid, Process, ProcessRef};
use crate::sync::{CachePadded, RwLock, RwLockReadGuard, RwLockWriteGuard};

#[cfg(not(uproar_loom))]
const SHARD_BITS: u32 = 4;
#[cfg(uproar_loom)]
const SHARD_BITS: u32 = 1;

/// Who can have a name.
pub(crate) trait Holder: Clone {
    fn pid(&self) -> Pid;
    /// Whether it is alive for others. False stays false.
    fn is_alive(&self) -> bool;
    fn ties(&self) -> &Ties;
}

impl Holder for ProcessRef {
    fn pid(&self) -> Pid {
        Process::pid(self)
    }

    fn is_alive(&self) -> bool {
        Process::is_alive(self)
    }

    fn ties(&self) -> &Ties {
        &self.ties
    }
}

/// Why a name was not given to an actor.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Refusal {
    /// Another one has it, or the actor itself.
    Taken(Pid),
    Unnamable(Unnamable),
}

pub(crate) struct Names<H = ProcessRef> {
    shards: Box<[CachePadded<RwLock<Shard<H>>>]>,
}

type Shard<H> = HashMap<Arc<str>, H, Seeded>;

/// Hashes that nobody can foresee who does not know the seed. A map of them is never
/// iterated where the order could show.
#[derive(Clone, Copy)]
struct Seeded(u64);

impl BuildHasher for Seeded {
    type Hasher = DefaultHasher;

    fn build_hasher(&self) -> DefaultHasher {
        let mut hasher = DefaultHasher::new();
        hasher.write_u64(self.0);
        hasher
    }
}

/// The shard of a name, of which numbers are told apart by their last characters.
fn shard_of(name: &str) -> usize {
    let end = name.as_bytes().rchunks(8).next().unwrap_or_default();
    let mut word = [0; 8];
    word[..end.len()].copy_from_slice(end);
    let mixed = u64::from_le_bytes(word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (u64::BITS - SHARD_BITS)) as usize
}

impl<H: Holder> Names<H> {
    pub(crate) fn new(seed: u64) -> Names<H> {
        let shard = || CachePadded(RwLock::new(HashMap::with_hasher(Seeded(seed))));
        Names {
            shards: (0..1 << SHARD_BITS).map(|_| shard()).collect(),
        }
    }

    fn read(&self, shard: usize) -> RwLockReadGuard<'_, Shard<H>> {
        let shard = self.shards[shard].read();
        shard.unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, name: &str) -> RwLockWriteGuard<'_, Shard<H>> {
        let shard = self.shards[shard_of(name)].write();
        shard.unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the one who has a name.
    #[inline]
    pub(crate) fn find<R>(&self, name: &str, look: impl FnOnce(&H) -> R) -> Option<R> {
        let shard = self.read(shard_of(name));
        shard.get(name).filter(|holder| holder.is_alive()).map(look)
    }

    /// Gives a name to an actor that others can see. [N1]
    pub(crate) fn register(&self, name: &Arc<str>, holder: &H) -> Result<(), Refusal> {
        self.claim(name, || {
            if !holder.is_alive() {
                return Err(Unnamable::Dead);
            }
            holder.ties().take_name(name)?;
            Ok(H::clone(holder))
        })
    }

    /// Gives a name to the actor that `enter` returns, which has taken it; `enter` is called
    /// only if the name is free.
    pub(crate) fn claim(
        &self,
        name: &Arc<str>,
        enter: impl FnOnce() -> Result<H, Unnamable>,
    ) -> Result<(), Refusal> {
        let before = {
            let mut shard = self.write(name);
            match shard.entry(Arc::clone(name)) {
                Entry::Occupied(entry) if entry.get().is_alive() => {
                    return Err(Refusal::Taken(entry.get().pid()));
                }
                // [N2]
                Entry::Occupied(mut entry) => enter().map(|holder| Some(entry.insert(holder))),
                Entry::Vacant(entry) => enter().map(|holder| {
                    entry.insert(holder);
                    None
                }),
            }
        };
        before.map(drop).map_err(Refusal::Unnamable)
    }

    /// Takes a name from the one who has it.
    pub(crate) fn unregister(&self, name: &str) -> Option<H> {
        let mut shard = self.write(name);
        // What a dead one has left is for its end to take.
        let holder = shard.get(name).filter(|holder| holder.is_alive())?;
        holder.ties().lose_name();
        remove(&mut shard, name)
    }

    /// Takes out what an actor that has ended has left. Whether the name was still its. [N3]
    pub(crate) fn release(&self, name: &str, of: Pid) -> bool {
        let left = {
            let mut shard = self.write(name);
            match shard.get(name) {
                Some(holder) if holder.pid() == of => remove(&mut shard, name),
                _ => None,
            }
        };
        left.is_some()
    }

    /// All names and who has them, by name.
    pub(crate) fn all(&self) -> Vec<(Arc<str>, Pid)> {
        let mut all = Vec::new();
        for shard in 0..self.shards.len() {
            let shard = self.read(shard);
            let alive = shard.iter().filter(|(_, holder)| holder.is_alive());
            all.extend(alive.map(|(name, holder)| (Arc::clone(name), holder.pid())));
        }
        all.sort_unstable();
        all
    }

    /// Names that are taken.
    pub(crate) fn count(&self) -> usize {
        let count = |shard| {
            let shard = self.read(shard);
            shard.values().filter(|holder| holder.is_alive()).count()
        };
        (0..self.shards.len()).map(count).sum()
    }
}

/// Takes an entry out, and gives memory back when most of it has gone.
fn remove<H>(shard: &mut Shard<H>, name: &str) -> Option<H> {
    let holder = shard.remove(name);
    if shard.capacity() > 64 && shard.len() < shard.capacity() / 4 {
        let len = shard.len();
        shard.shrink_to(2 * len);
    }
    holder
}

impl Process {
    /// Gives it a name before anyone can find it.
    pub(crate) fn take_name(&self, name: &Arc<str>) -> Result<(), Unnamable> {
        self.ties.take_name(name)
    }

    /// The name that it has left in its end, once.
    pub(crate) fn left_name(&self) -> Option<Arc<str>> {
        self.ties.lose_name()
    }
}

#[cfg(all(test, uproar_loom))]
#[path = "names/models.rs"]
mod loom_models;

#[cfg(all(test, not(uproar_loom)))]
#[path = "names/tests.rs"]
mod tests;
