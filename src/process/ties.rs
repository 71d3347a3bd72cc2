//! What an actor is tied to: a block beside its record, made when it is first needed.
//!
//! `[J1]` A tie that is accepted is told of the actor's end, once, unless it is taken
//! back before.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use slab::Slab;

/// What goes when an actor goes.
pub(crate) trait Tied: Send + Sync {
    /// The actor has ended. Called once, with no lock held.
    fn target_ended(&self);
}

/// The block of one actor, or none.
pub(super) struct Ties {
    /// Null, [`ENDED`], or a block that lives as long as this.
    block: AtomicPtr<Mutex<Block>>,
}

/// The actor has ended and has had no block.
const ENDED: *mut Mutex<Block> = ptr::without_provenance_mut(1);

#[derive(Default)]
struct Block {
    ended: bool,
    timers: Slab<Arc<dyn Tied>>,
}

fn lock(block: &Mutex<Block>) -> MutexGuard<'_, Block> {
    block.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Ties {
    pub(super) const fn new() -> Ties {
        Ties {
            block: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// The block if there is one.
    fn get(&self) -> Option<&Mutex<Block>> {
        let block = self.block.load(Ordering::Acquire);
        if block == ENDED {
            return None;
        }
        // SAFETY: a block is made by `make` and freed in `drop`.
        unsafe { block.as_ref() }
    }

    /// The block, new if need be; `None` when the actor has ended without.
    fn make(&self) -> Option<&Mutex<Block>> {
        if self.block.load(Ordering::Acquire).is_null() {
            let new = Box::into_raw(Box::default());
            let order = (Ordering::AcqRel, Ordering::Acquire);
            if self
                .block
                .compare_exchange(ptr::null_mut(), new, order.0, order.1)
                .is_err()
            {
                // SAFETY: it has been made here and nobody has seen it.
                drop(unsafe { Box::from_raw(new) });
            }
        }
        self.get()
    }

    /// Ties a timer. `None` when the actor has ended.
    pub(super) fn tie(&self, timer: Arc<dyn Tied>) -> Option<usize> {
        let mut block = lock(self.make()?);
        (!block.ended).then(|| block.timers.insert(timer))
    }

    /// Takes a tie back.
    pub(super) fn untie(&self, tie: usize) {
        let untied = self.get().and_then(|block| {
            let mut block = lock(block);
            let timer = block.timers.try_remove(tie);
            if block.timers.is_empty() && block.timers.capacity() > 16 {
                block.timers = Slab::new();
            }
            timer
        });
        drop(untied);
    }

    /// The actor has ended: nothing is tied to it any more, and what was is told.
    pub(super) fn end(&self) {
        let none = self.block.compare_exchange(
            ptr::null_mut(),
            ENDED,
            Ordering::AcqRel,
            Ordering::Acquire,
        );
        if none.is_ok() {
            return;
        }
        let timers = self.get().map(|block| {
            let mut block = lock(block);
            block.ended = true;
            std::mem::take(&mut block.timers)
        });
        for (_, timer) in timers.into_iter().flatten() {
            timer.target_ended();
        }
    }
}

impl Drop for Ties {
    fn drop(&mut self) {
        let block = *self.block.get_mut();
        if !block.is_null() && block != ENDED {
            // SAFETY: made by `make`, and nobody else has it any more.
            drop(unsafe { Box::from_raw(block) });
        }
    }
}

#[cfg(all(test, not(uproar_loom)))]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Tied for Count {
        fn target_ended(&self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    impl Count {
        fn get(&self) -> usize {
            self.0.load(Ordering::SeqCst)
        }
    }

    // [J1]
    #[test]
    fn each_tie_is_told_once_unless_taken_back() {
        let ties = Ties::new();
        let [kept, untied, late] = std::array::from_fn(|_| Arc::new(Count::default()));
        ties.tie(kept.clone()).expect("alive");
        let tie = ties.tie(untied.clone()).expect("alive");
        ties.untie(tie);
        ties.untie(tie);
        ties.end();
        assert_eq!(ties.tie(late.clone()), None);
        ties.end();
        ties.untie(0);
        assert_eq!((kept.get(), untied.get(), late.get()), (1, 0, 0));
        assert!(
            [&kept, &untied, &late]
                .iter()
                .all(|t| Arc::strong_count(t) == 1)
        );
    }

    #[test]
    fn an_actor_without_ties_ends_without_a_block() {
        let ties = Ties::new();
        ties.untie(0);
        ties.end();
        assert_eq!(ties.tie(Arc::new(Count::default())), None);
        assert_eq!(*Ties::new().block.get_mut(), ptr::null_mut());
    }
}
