//! What one thread sends in a row to one mailbox: when that becomes bundles.
//!
//! A thread starts a bundle when it has sent several messages to the same mailbox one
//! after the other and the receiver has not taken the last of them yet.

use std::cell::Cell;
use std::ptr::{self, NonNull};

use super::bundle::{Bundle, Left};
use super::incoming::{Incoming, Pushed};
use super::node::NodeBox;

/// Messages in a row after which there are bundles.
const SINGLES: u32 = 4;

/// A thread's stream of messages.
pub(super) struct Stream {
    /// The bundle that the thread holds.
    bundle: Cell<*mut Bundle>,
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
#[inline]
pub(super) fn push<M: Send + 'static>(queue: &Incoming, message: M) -> Result<Pushed, M> {
    STREAM.with(|stream| stream.push(queue, message))
}

impl Stream {
    pub(super) const fn new() -> Stream {
        Stream {
            bundle: Cell::new(ptr::null_mut()),
            held: Cell::new(0),
            last: Cell::new(ptr::null()),
            in_a_row: Cell::new(0),
            closed: Cell::new(false),
        }
    }

    /// Queues a message.
    #[inline]
    pub(super) fn push<M: Send + 'static>(
        &self,
        queue: &Incoming,
        message: M,
    ) -> Result<Pushed, M> {
        if ptr::eq(self.last.get(), queue) {
            return self.push_on(queue, message);
        }
        self.last.set(queue);
        self.in_a_row.set(0);
        queue.push(NodeBox::message(message)).map_err(take_back)
    }

    /// Queues a message where the one before it went, too.
    #[inline]
    fn push_on<M: Send + 'static>(&self, queue: &Incoming, message: M) -> Result<Pushed, M> {
        if let Some(bundle) = NonNull::new(self.bundle.get())
            && queue.is_newest(bundle)
        {
            let mut held = self.held.get();
            // SAFETY: [B1] the thread holds it, and it is its queue's newest link.
            let appended = unsafe { Bundle::append(bundle, &mut held, message) };
            self.held.set(held);
            return match appended {
                Ok(()) => Ok(Pushed::Queued),
                Err(message) => self.push_bundle(queue, message),
            };
        }
        self.in_a_row.set(self.in_a_row.get() + 1);
        if self.in_a_row.get() >= SINGLES {
            if queue.has_signals() {
                return self.push_bundle(queue, message);
            }
            self.in_a_row.set(0);
        }
        queue.push(NodeBox::message(message)).map_err(take_back)
    }

    /// Queues a message in a bundle that begins with it.
    #[cold]
    fn push_bundle<M: Send + 'static>(&self, queue: &Incoming, message: M) -> Result<Pushed, M> {
        let bundle = match self.next_bundle() {
            Some(bundle) => bundle,
            None => return queue.push(NodeBox::message(message)).map_err(take_back),
        };
        let mut held = Bundle::held();
        // SAFETY: the thread holds it, and nobody else has it.
        if unsafe { Bundle::append(bundle, &mut held, message) }.is_err() {
            unreachable!("a message fits into an empty bundle");
        }
        self.held.set(held);
        queue.push_bundle(bundle).map_err(|bundle| {
            self.bundle.set(ptr::null_mut());
            // SAFETY: as above: the queue has refused it.
            unsafe { Bundle::take_back(bundle) }
        })
    }

    /// An empty bundle that the thread holds.
    fn next_bundle(&self) -> Option<NonNull<Bundle>> {
        if let Some(bundle) = NonNull::new(self.bundle.get()) {
            // SAFETY: the thread holds it; when it is done, nobody else has it.
            unsafe {
                if Bundle::is_done(bundle) {
                    Bundle::renew(bundle);
                    return Some(bundle);
                }
            }
            self.let_go();
        } else if self.closed.get() {
            return None;
        } else {
            GUARD.with(|_| {});
        }
        let bundle = Bundle::new();
        self.bundle.set(bundle.as_ptr());
        Some(bundle)
    }

    /// Holds no bundle any more.
    pub(super) fn let_go(&self) {
        let Some(bundle) = NonNull::new(self.bundle.replace(ptr::null_mut())) else {
            return;
        };
        // SAFETY: the thread held it, and holds it no more.
        unsafe {
            if Bundle::let_go(bundle) == Left::Nobody {
                Bundle::free(bundle);
            }
        }
    }
}

#[cold]
fn take_back<M: Send + 'static>(mut node: NodeBox) -> M {
    node.take().expect("the message that was put in")
}

#[cfg(all(test, uproar_loom))]
impl Stream {
    /// As `push`, in bundles from the first message on.
    pub(super) fn push_in_bundle<M: Send + 'static>(
        &self,
        queue: &Incoming,
        message: M,
    ) -> Result<Pushed, M> {
        if ptr::eq(self.last.replace(queue), queue) {
            self.in_a_row.set(SINGLES);
            return self.push_on(queue, message);
        }
        self.push_bundle(queue, message)
    }
}

#[cfg(all(test, not(uproar_loom)))]
#[path = "stream/tests.rs"]
mod tests;
