//! Who is awake, and waking one when there is work.
//!
//! The one word counts `searching` workers (awake, looking for work to steal) and
//! `parked` ones; `parked` says who they are.
//!
//! A worker goes to sleep like this:
//!
//! 1. It announces: enters itself into the set, `parked` + 1, `searching` - 1.
//! 2. It looks at every queue once more.
//! 3. It found work: it retracts the announcement (or takes the wake-up that has
//!    already been sent) and goes on. It found none: it blocks.
//!
//! Whoever makes work for others does this:
//!
//! a. It puts the task into a queue.
//! b. It looks at the word. If a worker searches, or none is parked, that is all:
//!    a searcher has step 2 before it.
//! c. It takes one out of the set, counts it as searching, and unblocks it.
//!
//! *No wake-up is lost:* steps 1 and b are sequentially consistent
//! read-modify-writes or fences on the word, and each side does its own write
//! before it reads the other's. If b does not see 1, then 2 sees a. If b sees 1, it
//! wakes the sleeper or another, and a woken worker searches all queues.
//!
//! `[W1]` At most one worker is woken per new piece of work: the woken one counts as
//! searching before it runs, and while one searches nobody is woken. A searcher that
//! finds work and was the last one wakes the next.
//!
//! A worker's own pushes skip the fence of b ([`Idle::hint`]): the task is in the
//! queue of a worker that is awake, so it is not lost; what can be missed is a
//! helper, until the next push or the watch's next tick.

use std::sync::PoisonError;

use crate::sync::{AtomicU32, AtomicU64, Mutex, MutexGuard, Ordering, Thread, fence, thread};

const PARKED: u64 = 1 << 32;
const SEARCHING: u64 = 1;

fn parked(word: u64) -> u64 {
    word >> 32
}

fn searching(word: u64) -> u64 {
    word & (PARKED - 1)
}

pub(crate) struct Idle {
    word: AtomicU64,
    set: Mutex<Vec<usize>>,
    workers: u64,
}

impl Idle {
    pub(crate) fn new(workers: usize) -> Self {
        Idle {
            word: AtomicU64::new(0),
            set: Mutex::new(Vec::with_capacity(workers)),
            workers: workers as u64,
        }
    }

    fn set(&self) -> MutexGuard<'_, Vec<usize>> {
        self.set.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Workers that sleep.
    pub(crate) fn parked(&self) -> usize {
        parked(self.word.load(Ordering::SeqCst)) as usize
    }

    pub(crate) fn all_parked(&self) -> bool {
        parked(self.word.load(Ordering::SeqCst)) == self.workers
    }

    pub(crate) fn is_parked(&self, worker: usize) -> bool {
        self.set().contains(&worker)
    }

    /// Becomes a searcher, unless half of the workers are.
    pub(crate) fn start_search(&self) -> bool {
        let word = self.word.load(Ordering::Relaxed);
        if 2 * searching(word) >= self.workers.max(2) {
            return false;
        }
        self.word.fetch_add(SEARCHING, Ordering::SeqCst);
        true
    }

    /// Stops searching because it found work. Whether it was the last searcher,
    /// which then wakes the next [W1].
    #[must_use]
    pub(crate) fn found(&self) -> bool {
        let before = self.word.fetch_sub(SEARCHING, Ordering::SeqCst);
        searching(before) == 1
    }

    /// Step 1.
    pub(crate) fn announce(&self, worker: usize, was_searching: bool) {
        let mut set = self.set();
        set.push(worker);
        let change = if was_searching {
            PARKED - SEARCHING
        } else {
            PARKED
        };
        self.word.fetch_add(change, Ordering::SeqCst);
        drop(set);
        fence(Ordering::SeqCst);
    }

    /// Step 3. `false`: a wake-up has been sent already, and counts the worker as
    /// searching.
    #[must_use]
    pub(crate) fn retract(&self, worker: usize) -> bool {
        let mut set = self.set();
        let Some(at) = set.iter().position(|&w| w == worker) else {
            return false;
        };
        set.swap_remove(at);
        self.word.fetch_sub(PARKED, Ordering::SeqCst);
        true
    }

    /// Steps b and c: a worker to unpark, if one is needed.
    pub(crate) fn worker_to_wake(&self) -> Option<usize> {
        fence(Ordering::SeqCst);
        let word = self.word.load(Ordering::SeqCst);
        if searching(word) > 0 || parked(word) == 0 {
            return None;
        }
        let mut set = self.set();
        if searching(self.word.load(Ordering::SeqCst)) > 0 {
            return None;
        }
        let worker = set.pop()?;
        self.word.fetch_sub(PARKED - SEARCHING, Ordering::SeqCst);
        Some(worker)
    }

    /// Step b without its fence: whether it is worth calling
    /// [`worker_to_wake`](Self::worker_to_wake).
    #[inline]
    pub(crate) fn hint(&self) -> bool {
        let word = self.word.load(Ordering::Relaxed);
        word >= PARKED && searching(word) == 0
    }

    /// Steps b and c for work that only this worker can do. Whether to unpark it.
    pub(crate) fn take(&self, worker: usize) -> bool {
        fence(Ordering::SeqCst);
        if parked(self.word.load(Ordering::SeqCst)) == 0 {
            return false;
        }
        let mut set = self.set();
        let Some(at) = set.iter().position(|&w| w == worker) else {
            return false;
        };
        set.swap_remove(at);
        self.word.fetch_sub(PARKED - SEARCHING, Ordering::SeqCst);
        true
    }

    /// Takes every sleeper, to unpark them all.
    pub(crate) fn take_all(&self) -> Vec<usize> {
        let mut set = self.set();
        let all = std::mem::take(&mut *set);
        self.word
            .fetch_sub((PARKED - SEARCHING) * all.len() as u64, Ordering::SeqCst);
        all
    }
}

/// Blocks one worker's thread.
///
/// `[W2]` An `unpark` before or during `park` makes it return; between `begin_polling` and
/// `end_polling` it says that the poller is to be notified, which ends the wait there. Tokens of
/// `std::thread::park` that user code takes or leaves change nothing: the word is
/// what counts.
pub(crate) struct Parker {
    word: AtomicU32,
    thread: Mutex<Option<Thread>>,
}

const IDLE: u32 = 0;
const NOTIFIED: u32 = 1;
/// It blocks, or is about to, in the reactor's poller.
const POLLING: u32 = 2;

/// How a thread is to be unblocked.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unpark {
    /// It has been, or will not block.
    Done,
    /// By notifying the poller.
    Poller,
}

impl Parker {
    pub(crate) fn new() -> Self {
        Parker {
            word: AtomicU32::new(IDLE),
            thread: Mutex::new(None),
        }
    }

    /// Makes the calling thread the one to block.
    pub(crate) fn adopt(&self) {
        *self.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread::current());
    }

    pub(crate) fn park(&self) {
        while self.word.swap(IDLE, Ordering::Acquire) != NOTIFIED {
            thread::park();
        }
    }

    /// Says that the thread is about to block in the poller. `false`: an `unpark` has come
    /// before, and is taken.
    #[must_use]
    pub(crate) fn begin_polling(&self) -> bool {
        let began = self
            .word
            .compare_exchange(IDLE, POLLING, Ordering::Acquire, Ordering::Acquire);
        if began.is_err() {
            self.word.swap(IDLE, Ordering::Acquire);
        }
        began.is_ok()
    }

    /// Whether an `unpark` has come since [`begin_polling`](Self::begin_polling).
    pub(crate) fn is_notified(&self) -> bool {
        self.word.load(Ordering::Acquire) == NOTIFIED
    }

    /// The thread no longer blocks in the poller. Whether an `unpark` has come, which is
    /// taken.
    #[must_use]
    pub(crate) fn end_polling(&self) -> bool {
        self.word.swap(IDLE, Ordering::Acquire) == NOTIFIED
    }

    pub(crate) fn unpark(&self) -> Unpark {
        match self.word.swap(NOTIFIED, Ordering::Release) {
            NOTIFIED => Unpark::Done,
            POLLING => Unpark::Poller,
            _ => {
                let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(thread) = &*thread {
                    thread.unpark();
                }
                Unpark::Done
            }
        }
    }
}

#[cfg(all(test, uproar_loom))]
#[path = "idle/models.rs"]
mod loom_models;
