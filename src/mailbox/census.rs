//! How many messages lie in an incoming queue, for someone who is not its consumer.
//!
//! A look walks the list from the newest link on. Links don't change while they are in the
//! queue, but the consumer, who has taken them off, changes and frees them. So it waits for
//! looks that are under way: there is one count of them for the whole program, which is
//! zero nearly always, and a consumer pays a load of a line that nobody writes.
//!
//! `[Q1]` A look that reads a list from the word is waited for by whoever takes that list:
//! of the look's count before it reads the word, and the consumer's exchange of the word
//! before it reads the count, at least one sees the other.

use std::sync::atomic::{AtomicUsize, Ordering};

static LOOKS: AtomicUsize = AtomicUsize::new(0);

/// A look that is under way.
pub(super) struct Look(());

impl Look {
    pub(super) fn begin() -> Look {
        // ORDERING: sequentially consistent, see [Q1].
        LOOKS.fetch_add(1, Ordering::SeqCst);
        Look(())
    }
}

impl Drop for Look {
    fn drop(&mut self) {
        // ORDERING: release: what the look has read, it has read before the consumer
        // goes on.
        LOOKS.fetch_sub(1, Ordering::Release);
    }
}

/// Waits for all looks. After a sequentially consistent exchange of the word.
#[inline]
pub(super) fn wait_for_looks() {
    if LOOKS.load(Ordering::SeqCst) != 0 {
        wait();
    }
}

#[cold]
fn wait() {
    while LOOKS.load(Ordering::Acquire) != 0 {
        std::thread::yield_now();
    }
}
