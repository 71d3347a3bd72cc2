//! The watch: notices slices that last too long.
//!
//! While any worker is awake, the reactor's thread ticks every [`TICK`]. A worker
//! that has finished no slice between two ticks is stuck in its actor's code; what
//! is queued behind that actor, next slot included, is then for others to take: a
//! parked worker is woken, or, if all are busy, those take over between two slices.
//! So a stuck worker's queue is taken over after two ticks.
//!
//! When all workers have been parked for a while the watch sleeps too, and an idle
//! runtime uses no CPU. The first worker that wakes up wakes it.

use std::time::Duration;

use crate::sync::{AtomicBool, AtomicU32, AtomicU64, CachePadded, Ordering, fence};

pub(crate) const TICK: Duration = Duration::from_millis(4);

/// A slice that is seen by so many ticks is overlong: it has lasted 8 to 12 ms.
pub(super) const OVERLONG: u32 = 2;

/// Ticks with all workers parked before the watch sleeps. A wake-up of the watch is
/// a system call for some worker, so it is not to be had at every short pause.
const PATIENCE: u32 = 25;

pub(crate) struct Watch {
    awake: CachePadded<AtomicBool>,
    rescue: CachePadded<AtomicBool>,
    idle_ticks: AtomicU32,
    seen: Box<[Observed]>,
    /// Wakes the thread that ticks.
    waker: std::sync::OnceLock<Box<dyn Fn() + Send + Sync>>,
}

struct Observed {
    slices: AtomicU64,
    ticks: AtomicU32,
}

/// What a tick saw of a worker.
pub(super) enum Seen {
    /// It has finished a slice since the last tick.
    Moving,
    /// It has not, for so many ticks.
    Still { ticks: u32 },
}

impl Watch {
    pub(super) fn new(workers: usize) -> Watch {
        Watch {
            awake: CachePadded(AtomicBool::new(false)),
            rescue: CachePadded(AtomicBool::new(false)),
            idle_ticks: AtomicU32::new(0),
            seen: (0..workers)
                .map(|_| Observed {
                    slices: AtomicU64::new(0),
                    ticks: AtomicU32::new(0),
                })
                .collect(),
            waker: std::sync::OnceLock::new(),
        }
    }

    /// Says how to wake the thread that ticks. Without it there is no watch.
    pub(crate) fn set_waker(&self, wake: impl Fn() + Send + Sync + 'static) {
        let _ = self.waker.set(Box::new(wake));
    }

    /// Sees to it that the watch ticks. For a thread that makes a worker work.
    #[inline]
    pub(crate) fn ensure_awake(&self) {
        if !self.awake.load(Ordering::Relaxed) {
            self.wake();
        }
    }

    /// Sees to it that the watch ticks. For a worker that has slept.
    pub(super) fn worker_woke(&self) {
        // ORDERING: see `tick_done`.
        fence(Ordering::SeqCst);
        self.ensure_awake();
    }

    #[cold]
    fn wake(&self) {
        if let Some(wake) = self.waker.get()
            && !self.awake.swap(true, Ordering::SeqCst)
        {
            wake();
        }
    }

    pub(crate) fn is_awake(&self) -> bool {
        self.awake.load(Ordering::SeqCst)
    }

    pub(super) fn observe(&self, worker: usize, slices: u64) -> Seen {
        let observed = &self.seen[worker];
        if observed.slices.swap(slices, Ordering::Relaxed) != slices {
            observed.ticks.store(0, Ordering::Relaxed);
            return Seen::Moving;
        }
        Seen::Still {
            ticks: observed.ticks.fetch_add(1, Ordering::Relaxed) + 1,
        }
    }

    /// Forgets how long a worker has been still, because it sleeps: what it does when
    /// it wakes up is another matter.
    pub(super) fn sleeps(&self, worker: usize) {
        self.seen[worker].ticks.store(0, Ordering::Relaxed);
    }

    /// Ticks for which a worker has been awake and has finished no slice.
    pub(super) fn ticks_still(&self, worker: usize) -> u32 {
        self.seen[worker].ticks.load(Ordering::Relaxed)
    }

    /// Whether to go on ticking.
    pub(super) fn tick_done(&self, all_parked: impl Fn() -> bool) -> bool {
        if !all_parked() {
            self.idle_ticks.store(0, Ordering::Relaxed);
            return true;
        }
        if self.idle_ticks.fetch_add(1, Ordering::Relaxed) < PATIENCE {
            return true;
        }
        self.idle_ticks.store(0, Ordering::Relaxed);
        self.awake.store(false, Ordering::SeqCst);
        // ORDERING: pairs with `worker_woke`: of a watch that goes to sleep and a
        // worker that wakes up, at least one sees the other.
        fence(Ordering::SeqCst);
        if all_parked() {
            return false;
        }
        // A worker that woke up meanwhile may have found the watch awake.
        self.awake.store(true, Ordering::SeqCst);
        true
    }

    pub(super) fn want_rescue(&self) {
        self.rescue.store(true, Ordering::Release);
    }

    #[inline]
    pub(super) fn rescue_wanted(&self) -> bool {
        self.rescue.load(Ordering::Relaxed)
    }

    pub(super) fn rescued(&self) {
        self.rescue.store(false, Ordering::Relaxed);
    }
}

#[cfg(all(test, uproar_loom))]
#[path = "watch/models.rs"]
mod loom_models;
