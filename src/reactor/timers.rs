//! The wheels of one runtime, and when its reactor has to be woken for them.
//!
//! Each worker has a wheel of its own behind a short lock, one more is for all other
//! threads, so two workers that start and cancel timeouts never meet. The reactor looks
//! into one after the other.
//!
//! `[E3]` A deadline that is nearer than the one the reactor sleeps for wakes it, and
//! no other does. The reactor says what it will sleep for, then looks into each wheel
//! once more; whoever starts a deadline reads what it said in the same critical section
//! as puts it in. So of a start and that last look, the second sees the first. Checked
//! by the model below.

use std::sync::PoisonError;

use super::wheel::{Expired, Key, Moment, Wheel};
use crate::sync::{AtomicU64, CachePadded, Mutex, MutexGuard, Ordering};

/// The reactor does not sleep: it will see what is started by itself.
const AWAKE: u64 = 0;

/// A moment as far as it matters to a sleeper: 584 years from the start are for ever.
fn capped(moment: Moment) -> u64 {
    u64::try_from(moment).unwrap_or(u64::MAX)
}

pub(crate) struct Timers<T> {
    wheels: Box<[CachePadded<Mutex<Shard<T>>>]>,
    sleeps_until: CachePadded<AtomicU64>,
}

struct Shard<T> {
    wheel: Wheel<T>,
    /// Nothing is started any more.
    closed: bool,
}

/// What to do about a deadline that has been started.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Started {
    /// The reactor knows.
    Noticed(Key),
    /// The reactor sleeps for longer than that: notify it.
    Nearer(Key),
}

impl<T> Timers<T> {
    /// Wheels with these resolutions, in nanoseconds.
    pub(crate) fn new(resolutions: impl IntoIterator<Item = u64>) -> Self {
        let shard = |resolution| {
            CachePadded(Mutex::new(Shard {
                wheel: Wheel::new(resolution),
                closed: false,
            }))
        };
        Timers {
            wheels: resolutions.into_iter().map(shard).collect(),
            sleeps_until: CachePadded(AtomicU64::new(AWAKE)),
        }
    }

    fn shard(&self, wheel: usize) -> MutexGuard<'_, Shard<T>> {
        self.wheels[wheel]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The last wheel.
    pub(crate) fn last(&self) -> usize {
        self.wheels.len() - 1
    }

    /// Has `value` expire at `at`. When the wheels are closed it comes back.
    #[inline]
    pub(crate) fn start(
        &self,
        wheel: usize,
        at: Moment,
        now: Moment,
        value: T,
    ) -> Result<Started, T> {
        let mut shard = self.shard(wheel);
        if shard.closed {
            return Err(value);
        }
        let (mut key, expires) = shard.wheel.start(at, now, value);
        key.wheel = u16::try_from(wheel).expect("fewer than 2^16 workers");
        // ORDERING: [E3] the lock orders it against the reactor's last look.
        let sleeps_until = self.sleeps_until.load(Ordering::Relaxed);
        drop(shard);
        Ok(if capped(expires) < sleeps_until {
            Started::Nearer(key)
        } else {
            Started::Noticed(key)
        })
    }

    /// Takes a deadline back: what it was and its value. `None` if it has expired or
    /// been cancelled.
    #[inline]
    pub(crate) fn cancel(&self, key: Key) -> Option<(Moment, T)> {
        self.shard(key.wheel as usize).wheel.cancel(key)
    }

    /// Changes the value of a deadline. `None` if it has expired or been cancelled.
    pub(crate) fn change<R>(&self, key: Key, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        let mut shard = self.shard(key.wheel as usize);
        shard.wheel.get_mut(key).map(change)
    }

    /// Deadlines that are pending, those that never come included.
    pub(crate) fn pending(&self) -> usize {
        (0..self.wheels.len())
            .map(|wheel| self.shard(wheel).wheel.len())
            .sum()
    }

    /// When the next deadline of a wheel expires.
    pub(crate) fn next_expiry(&self, wheel: usize) -> Option<Moment> {
        self.shard(wheel).wheel.next_expiry()
    }

    /// Appends what has expired in one wheel, by deadline.
    pub(crate) fn expire_in(&self, wheel: usize, now: Moment, expired: &mut Vec<Expired<T>>) {
        self.shard(wheel).wheel.expire(now, expired);
    }

    /// Appends what has expired in all wheels, by deadline.
    pub(crate) fn expire(&self, now: Moment, expired: &mut Vec<Expired<T>>) {
        let first = expired.len();
        for wheel in 0..self.wheels.len() {
            self.expire_in(wheel, now, expired);
        }
        expired[first..].sort_by_key(|entry| entry.at);
    }

    /// Whether nothing will ever expire.
    pub(crate) fn is_idle(&self) -> bool {
        self.next_turn().is_none()
    }

    fn next_turn(&self) -> Option<Moment> {
        (0..self.wheels.len())
            .filter_map(|wheel| self.shard(wheel).wheel.next_turn())
            .min()
    }

    /// Says that the reactor is about to sleep, for at most `limit`, and until when it
    /// may. `None`: look again, something has come meanwhile. [E3]
    pub(crate) fn falls_asleep(&self, limit: Moment) -> Option<Moment> {
        let until = self.next_turn().map_or(limit, |turn| turn.min(limit));
        self.sleeps_until.store(capped(until), Ordering::Relaxed);
        if self.next_turn().is_some_and(|turn| turn < until) {
            self.wakes_up();
            return None;
        }
        Some(until)
    }

    /// Says that the reactor looks by itself.
    pub(crate) fn wakes_up(&self) {
        self.sleeps_until.store(AWAKE, Ordering::Relaxed);
    }

    /// Refuses what is started from now on, and takes out all that is pending.
    pub(crate) fn close(&self) -> Vec<T> {
        let mut all = Vec::new();
        for wheel in 0..self.wheels.len() {
            let mut shard = self.shard(wheel);
            shard.closed = true;
            all.append(&mut shard.wheel.clear());
        }
        all
    }
}

#[cfg(all(test, uproar_loom))]
#[path = "timers/models.rs"]
mod loom_models;
