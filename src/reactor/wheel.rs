//! The timing wheel: deadlines in levels of slots, each level's slots 64 times as
//! wide as those below.
//!
//! ```text
//!   level 0   a tick per slot          the next 63 ticks
//!   level 1   64 ticks per slot        up to 4,095
//!   level 2   4,096 ticks per slot     up to 262,143
//!   …         sixteen levels: all that 96 bits can count, more than a `Duration`
//! ```
//!
//! A deadline goes into the level that its distance from now asks for, and comes down
//! a level when time reaches its slot: at most sixteen times, and never together with
//! deadlines that were much farther away when they began. Start and cancel touch the
//! entry and its two neighbours.
//!
//! Moments are nanoseconds since whenever the owner says. A tick is `resolution`
//! nanoseconds; a deadline within a tick expires at the tick's end.
//!
//! * `[Q1]` An entry at level `n` lies in one of the 64 slots after the one that now is
//!   in, so the nearest slot of a level is one look at its bits.
//! * `[Q2]` Nothing expires before its deadline; everything has when the tick is over
//!   that it lies in.
//! * `[Q3]` A key is good for one entry: its number is never given to another.
//!
//! Pure: it has no clock, no lock and no thread, and knows nothing of the values.
//! Checked against a sorted list by the model in `wheel/tests.rs`.

use slab::Slab;

const BITS: u32 = 6;
const SLOTS: usize = 1 << BITS;
/// Bits of a moment: enough for a `Duration` in nanoseconds, from any `Instant`.
const MOMENT: u32 = 96;
const LEVELS: usize = (MOMENT / BITS) as usize;

/// The list of what has come too late for a slot: it expires next.
const DUE: u16 = (LEVELS * SLOTS) as u16;
const LISTS: usize = DUE as usize + 1;
/// In no list.
const NOWHERE: u16 = u16::MAX;

/// The end of a list.
const NONE: u32 = u32::MAX;

/// A moment, in nanoseconds, of 96 bits; or a tick.
pub(crate) type Moment = u128;

/// A moment that does not come.
pub(crate) const NEVER: Moment = (1 << MOMENT) - 1;

/// Memory for so many entries is kept when the wheel is empty.
const KEPT: usize = 1024;

struct Entry<T> {
    /// The deadline, in two parts that need no more room than they have.
    low: u64,
    high: u32,
    prev: u32,
    next: u32,
    list: u16,
    number: u64,
    value: T,
}

impl<T> Entry<T> {
    fn at(&self) -> Moment {
        Moment::from(self.high) << 64 | Moment::from(self.low)
    }
}

/// One entry of one wheel. [Q3]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Key {
    number: u64,
    index: u32,
    /// For whoever has several wheels: which one.
    pub(super) wheel: u16,
    _room: Room,
}

/// Makes an enum with a key in it as small as the key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum Room {
    There,
}

/// What has expired.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Expired<T> {
    pub(crate) at: Moment,
    /// Counts the starts.
    pub(crate) number: u64,
    pub(crate) value: T,
}

pub(crate) struct Wheel<T> {
    resolution: u64,
    /// The last tick whose end can be told. What lies beyond it is never.
    last: Moment,
    /// The tick that all slots have been emptied up to.
    now: Moment,
    entries: Slab<Entry<T>>,
    /// The first entry of each list.
    heads: Box<[u32; LISTS]>,
    /// The slots of each level that are not empty.
    full: [u64; LEVELS],
    /// The levels that are not empty.
    levels: u16,
    started: u64,
}

impl<T> Wheel<T> {
    /// A wheel that stands at moment zero. `resolution` is at least one.
    pub(crate) fn new(resolution: u64) -> Self {
        Wheel {
            resolution,
            last: (NEVER - 1) / Moment::from(resolution),
            now: 0,
            entries: Slab::new(),
            heads: Box::new([NONE; LISTS]),
            full: [0; LEVELS],
            levels: 0,
            started: 0,
        }
    }

    /// Entries that are pending.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Has `value` expire at `at`; returns when that will be, at the end of its tick. One at [`NEVER`], or so near to it that the tick has no
    /// end, is kept until it is cancelled.
    ///
    /// `now` is the moment that it is: a wheel that has not been turned for long
    /// catches up if that turns out nothing.
    pub(crate) fn start(&mut self, at: Moment, now: Moment, value: T) -> (Key, Moment) {
        self.catch_up(self.ticks_in(now));
        self.started += 1;
        let number = self.started;
        let index = self.entries.insert(Entry {
            low: at as u64,
            high: (at >> 64) as u32,
            prev: NONE,
            next: NONE,
            list: NOWHERE,
            number,
            value,
        });
        let index = u32::try_from(index).expect("fewer timers than 2^32");
        self.place(index);
        let key = Key {
            number,
            index,
            wheel: 0,
            _room: Room::There,
        };
        let tick = self.tick(at);
        let expires = if tick > self.last {
            NEVER
        } else {
            self.end_of(tick)
        };
        (key, expires)
    }

    /// The value of an entry that is pending.
    pub(crate) fn get_mut(&mut self, key: Key) -> Option<&mut T> {
        let entry = self.entries.get_mut(key.index as usize)?;
        (entry.number == key.number).then_some(&mut entry.value)
    }

    /// Takes an entry back: its deadline and its value. `None` if it has expired or
    /// been cancelled.
    pub(crate) fn cancel(&mut self, key: Key) -> Option<(Moment, T)> {
        let entry = self.entries.get(key.index as usize)?;
        if entry.number != key.number {
            return None;
        }
        self.unlink(key.index);
        let entry = self.entries.remove(key.index as usize);
        self.shrink();
        Some((entry.at(), entry.value))
    }

    /// When the wheel has to be turned next: nothing expires before that, though at
    /// that moment it may be that entries only come down a level.
    pub(crate) fn next_turn(&self) -> Option<Moment> {
        self.next_tick().map(|tick| self.end_of(tick))
    }

    /// The moment at which the next entry expires.
    pub(crate) fn next_expiry(&self) -> Option<Moment> {
        if self.heads[DUE as usize] != NONE {
            return Some(self.end_of(self.now));
        }
        // The nearest of a level need not be nearer than that of the level above, which
        // may have been there for long.
        let mut best: Option<Moment> = None;
        for level in self.levels() {
            let start = self.nearest(level);
            if best.is_some_and(|best| best <= start) {
                continue;
            }
            let mut index = self.heads[list(level, start)];
            while index != NONE {
                let entry = &self.entries[index as usize];
                let tick = self.tick(entry.at());
                best = Some(best.map_or(tick, |best| best.min(tick)));
                index = entry.next;
            }
        }
        best.map(|tick| self.end_of(tick))
    }

    /// Turns the wheel to `now` and appends what has expired, by deadline; what has the
    /// same one, in the order of the starts.
    pub(crate) fn expire(&mut self, now: Moment, expired: &mut Vec<Expired<T>>) {
        let to = self.ticks_in(now);
        let first = expired.len();
        while let Some(tick) = self.next_tick()
            && tick <= to
        {
            self.now = self.now.max(tick);
            self.bring_down();
            self.empty(DUE, expired);
        }
        self.now = self.now.max(to);
        expired[first..].sort_unstable_by_key(|entry| (entry.at, entry.number));
        self.shrink();
    }

    /// Takes out every entry, in the order of the starts.
    pub(crate) fn clear(&mut self) -> Vec<T> {
        self.heads.fill(NONE);
        self.full = [0; LEVELS];
        self.levels = 0;
        let mut all: Vec<_> = std::mem::take(&mut self.entries).into_iter().collect();
        all.sort_unstable_by_key(|(_, entry)| entry.number);
        all.into_iter().map(|(_, entry)| entry.value).collect()
    }

    /// The tick at whose end a deadline expires.
    fn tick(&self, at: Moment) -> Moment {
        // A division of 64 bits costs much less.
        match u64::try_from(at) {
            Ok(at) => at.div_ceil(self.resolution).into(),
            Err(_) => at.div_ceil(self.resolution.into()),
        }
    }

    /// The ticks that are over at a moment.
    fn ticks_in(&self, now: Moment) -> Moment {
        match u64::try_from(now) {
            Ok(now) => (now / self.resolution).into(),
            Err(_) => now / Moment::from(self.resolution),
        }
    }

    fn end_of(&self, tick: Moment) -> Moment {
        tick * Moment::from(self.resolution)
    }

    /// The levels that are not empty.
    fn levels(&self) -> impl DoubleEndedIterator<Item = usize> + use<T> {
        let levels = self.levels;
        let used = u16::BITS - levels.leading_zeros();
        (0..used as usize).filter(move |&level| levels & 1 << level != 0)
    }

    /// Moves on to a tick up to which there is nothing to be done.
    fn catch_up(&mut self, tick: Moment) {
        // Not for less: what is near gets the same slot anyhow.
        if tick.saturating_sub(self.now) > SLOTS as Moment / 2
            && self.next_tick().is_none_or(|next| next > tick)
        {
            self.now = tick;
        }
    }

    /// The tick at which the nearest slot with entries begins, of a level that has any. [Q1]
    fn nearest(&self, level: usize) -> Moment {
        let shift = BITS * level as u32;
        let next = (self.now >> shift) + 1;
        let ahead = self.full[level]
            .rotate_right(next as u32 % SLOTS as u32)
            .trailing_zeros();
        (next + Moment::from(ahead)) << shift
    }

    /// The next tick at which a slot is to be emptied.
    fn next_tick(&self) -> Option<Moment> {
        if self.heads[DUE as usize] != NONE {
            return Some(self.now);
        }
        self.levels().map(|level| self.nearest(level)).min()
    }

    /// Empties the slots that begin now: each entry goes to a lower level, or is due.
    fn bring_down(&mut self) {
        for level in self.levels().rev() {
            let shift = BITS * level as u32;
            if self.now & ((1 << shift) - 1) != 0 {
                continue;
            }
            let list = list(level, self.now);
            let mut index = std::mem::replace(&mut self.heads[list], NONE);
            self.mark_empty(list);
            while index != NONE {
                let next = self.entries[index as usize].next;
                self.place(index);
                index = next;
            }
        }
    }

    /// Takes every entry of a list out.
    fn empty(&mut self, list: u16, expired: &mut Vec<Expired<T>>) {
        let mut index = std::mem::replace(&mut self.heads[list as usize], NONE);
        while index != NONE {
            let entry = self.entries.remove(index as usize);
            index = entry.next;
            expired.push(Expired {
                at: entry.at(),
                number: entry.number,
                value: entry.value,
            });
        }
    }

    /// Puts an entry that is in no list where it belongs.
    fn place(&mut self, index: u32) {
        let at = self.entries[index as usize].at();
        let tick = self.tick(at);
        if tick > self.last {
            self.entries[index as usize].list = NOWHERE;
            return;
        }
        let list = match tick.checked_sub(self.now) {
            None | Some(0) => DUE as usize,
            Some(distance) => {
                let level = (distance.ilog2() / BITS) as usize;
                let list = list(level, tick);
                self.full[level] |= 1 << (list % SLOTS);
                self.levels |= 1 << level;
                list
            }
        };
        let next = std::mem::replace(&mut self.heads[list], index);
        if next != NONE {
            self.entries[next as usize].prev = index;
        }
        let entry = &mut self.entries[index as usize];
        entry.prev = NONE;
        entry.next = next;
        entry.list = list as u16;
    }

    fn unlink(&mut self, index: u32) {
        let Entry {
            prev, next, list, ..
        } = self.entries[index as usize];
        if list == NOWHERE {
            return;
        }
        match prev {
            NONE => {
                self.heads[list as usize] = next;
                if next == NONE && list != DUE {
                    self.mark_empty(list as usize);
                }
            }
            _ => self.entries[prev as usize].next = next,
        }
        if next != NONE {
            self.entries[next as usize].prev = prev;
        }
    }

    /// A slot has become empty.
    fn mark_empty(&mut self, list: usize) {
        let level = list / SLOTS;
        self.full[level] &= !(1 << (list % SLOTS));
        if self.full[level] == 0 {
            self.levels &= !(1 << level);
        }
    }

    /// Gives the memory of a burst back.
    fn shrink(&mut self) {
        if self.entries.is_empty() && self.entries.capacity() > KEPT {
            self.entries = Slab::new();
        }
    }
}

/// The list of the slot at a level that a tick lies in.
fn list(level: usize, tick: Moment) -> usize {
    let slot = (tick >> (BITS * level as u32)) as usize % SLOTS;
    level * SLOTS + slot
}

#[cfg(all(test, not(uproar_loom)))]
#[path = "wheel/tests.rs"]
mod tests;
