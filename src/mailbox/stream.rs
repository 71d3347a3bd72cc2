//! What one thread sends in a row to one mailbox: when that becomes bundles.
//!
//! A thread starts a bundle when it has sent several messages to the same mailbox one
//! after the other and the receiver has not taken the last of them yet.
//!
//! Measured with `benches/peers` on two workers, ns a message, nodes only and with bundles:
//! tell 54 and 26, fan-in of eight 62 and 27; tell with one worker, where the whole burst
//! is queued before the receiver runs, 68 and 34, in 144 and 55 MB.

use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::ptr::{self, NonNull};

use super::bundle::{Bundle, Left};
use super::incoming::{Incoming, Pushed};
use super::node::NodeBox;

/// Messages in a row after which there are bundles.
const SINGLES: u32 = 4;

/// A thread's stream of messages.
pub(super) struct Stream {
    /// The bundle that the thread appends to, and the one before, which it holds to use
    /// it again.
    bundle: Cell<*mut Bundle>,
    before: Cell<*mut Bundle>,
    /// What it knows of the bundle's state.
    held: Cell<u32>,
    /// The queue that it sent to last, to compare with, and how often in a row.
    last: Cell<*const Incoming>,
    in_a_row: Cell<u32>,
    /// The thread ends, and holds nothing any more.
    closed: Cell<bool>,
}

thread_local! {
    /// Without a destructor to look for at each send; `GUARD` has it.
    static STREAM: Stream = const { Stream::new() };
    static GUARD: Guard = const { Guard };
}

struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        STREAM.with(|stream| {
            stream.closed.set(true);
            stream.let_go();
        });
    }
}

/// Queues a message of the calling thread. When the queue is closed it comes back.
#[inline(always)]
pub(super) fn push<M: Send + 'static>(queue: &Incoming, message: M) -> Result<Pushed, M> {
    let stream = STREAM.with(ptr::from_ref);
    // SAFETY: without a destructor it lives as long as the thread.
    unsafe { &*stream }.push(queue, message)
}

impl Stream {
    pub(super) const fn new() -> Stream {
        Stream {
            bundle: Cell::new(ptr::null_mut()),
            before: Cell::new(ptr::null_mut()),
            held: Cell::new(0),
            last: Cell::new(ptr::null()),
            in_a_row: Cell::new(0),
            closed: Cell::new(false),
        }
    }

    /// Queues a message. When the queue is closed it comes back.
    #[inline(always)]
    pub(super) fn push<M: Send + 'static>(
        &self,
        queue: &Incoming,
        message: M,
    ) -> Result<Pushed, M> {
        let message = match self.append(queue, message) {
            Ok(()) => return Ok(Pushed::Queued),
            Err(message) => message,
        };
        if self.starts_bundle(queue) {
            return self.push_bundle(queue, message);
        }
        queue
            .push(NodeBox::message(message))
            .map_err(NodeBox::take_back)
    }

    /// Appends the message to the bundle that is the queue's newest link.
    ///
    /// Its address is taken on this way only: on the other it goes from where the sender made
    /// it, field by field, straight into its node. A stop in memory on the way, written in
    /// small pieces and read in large ones, costs some 5 ns.
    #[inline(always)]
    fn append<M: Send + 'static>(&self, queue: &Incoming, message: M) -> Result<(), M> {
        let Some(bundle) = NonNull::new(self.bundle.get()) else {
            return Err(message);
        };
        if !ptr::eq(self.last.get(), queue) || !queue.is_newest(bundle) {
            return Err(message);
        }
        let message = ManuallyDrop::new(message);
        let mut held = self.held.get();
        // SAFETY: [U1] the thread holds it, and it is its queue's newest link.
        let appended = unsafe { Bundle::append(bundle, &mut held, &raw const *message) };
        self.held.set(held);
        if appended {
            Ok(())
        } else {
            Err(ManuallyDrop::into_inner(message))
        }
    }

    /// Whether the next message begins a bundle.
    #[inline]
    fn starts_bundle(&self, queue: &Incoming) -> bool {
        if !ptr::eq(self.last.get(), queue) {
            self.last.set(queue);
            self.in_a_row.set(0);
            return false;
        }
        let in_a_row = self.in_a_row.get() + 1;
        let ahead = queue.has_signals() || Bundle::is_well_used(self.held.get());
        self.in_a_row.set(if in_a_row < SINGLES || ahead {
            in_a_row
        } else {
            0
        });
        in_a_row >= SINGLES && ahead
    }

    /// Queues a message in a bundle that begins with it.
    #[cold]
    fn push_bundle<M: Send + 'static>(&self, queue: &Incoming, message: M) -> Result<Pushed, M> {
        let bundle = match self.next_bundle() {
            Some(bundle) => bundle,
            None => {
                return queue
                    .push(NodeBox::message(message))
                    .map_err(NodeBox::take_back);
            }
        };
        let mut held = Bundle::held();
        let message = ManuallyDrop::new(message);
        // SAFETY: the thread holds it, and nobody else has it.
        let begun = unsafe { Bundle::append(bundle, &mut held, &raw const *message) };
        assert!(begun, "a message fits into an empty bundle");
        self.held.set(held);
        queue.push_bundle(bundle).map_err(|bundle| {
            self.bundle.set(ptr::null_mut());
            // SAFETY: as above: the queue has refused it.
            unsafe { Bundle::take_back(bundle) }
        })
    }

    /// An empty bundle that the thread holds.
    fn next_bundle(&self) -> Option<NonNull<Bundle>> {
        if self.bundle.get().is_null() {
            if self.closed.get() {
                return None;
            }
            GUARD.with(|_| {});
        }
        // The two take turns while the consumer keeps up.
        for bundle in [&self.bundle, &self.before] {
            if let Some(done) = NonNull::new(bundle.get())
                // SAFETY: the thread holds it.
                && unsafe { Bundle::is_done(done) }
            {
                self.bundle.swap(bundle);
                // SAFETY: nobody else has it.
                unsafe { Bundle::renew(done) };
                return Some(done);
            }
        }
        let_go(&self.before);
        self.bundle.swap(&self.before);
        let bundle = Bundle::new();
        self.bundle.set(bundle.as_ptr());
        Some(bundle)
    }

    /// Holds no bundle any more.
    pub(super) fn let_go(&self) {
        let_go(&self.bundle);
        let_go(&self.before);
    }
}

fn let_go(bundle: &Cell<*mut Bundle>) {
    let Some(bundle) = NonNull::new(bundle.replace(ptr::null_mut())) else {
        return;
    };
    // SAFETY: the thread held it, and holds it no more.
    unsafe {
        if Bundle::let_go(bundle) == Left::Nobody {
            Bundle::free(bundle);
        }
    }
}

#[cfg(all(test, uproar_loom))]
impl Stream {
    /// As `push`, in bundles from the first message on.
    pub(super) fn push_in_bundle<M: Send + 'static>(
        &self,
        queue: &Incoming,
        message: M,
    ) -> Result<Pushed, M> {
        self.last.set(queue);
        self.in_a_row.set(SINGLES);
        self.push(queue, message)
    }
}

#[cfg(all(test, not(uproar_loom)))]
#[path = "stream/tests.rs"]
mod tests;
