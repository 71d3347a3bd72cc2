//! Messages that can be taken back while they lie in the mailbox.
//!
//! Such a message carries a [`Mark`], by which the mailbox's owner finds it. It is a node
//! like others, of the same type for every receive, but its vtable says `marked` and its
//! payload is this, whatever the message's size. So other messages have no room for a
//! mark, and pay a look at a byte beside the type that is looked at anyhow.

use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a message is marked with.
pub(crate) trait Mark: Send + Sync {
    /// Counts the messages with this mark that are in the mailbox, or in a matcher's
    /// hand.
    fn unreceived(&self) -> &AtomicUsize;
}

/// The payload of a marked message.
#[repr(C)]
pub(super) struct Marked<T> {
    message: *mut T,
    mark: Option<Arc<dyn Mark>>,
}

impl<T> Marked<T> {
    pub(super) fn new(message: T) -> Marked<T> {
        Marked {
            message: Box::into_raw(Box::new(message)),
            mark: None,
        }
    }

    /// The message, which is received with this.
    #[cold]
    pub(super) fn receive(self) -> T {
        let mut this = ManuallyDrop::new(self);
        forget_mark(&mut this.mark);
        // SAFETY: `message` is a box's, and given up here.
        *unsafe { Box::from_raw(this.message) }
    }

    /// Shows the message to `test`, which keeps it or gives it back; `Some` with what is
    /// left if it gave it back. If it panics, the message goes with the panic.
    #[cold]
    pub(super) fn show(self, test: &mut dyn FnMut(T) -> Result<(), T>) -> Option<Marked<T>> {
        let mut this = ManuallyDrop::new(self);
        // In a panic too the message is gone, and the mark has one less.
        let mut left = Marked {
            message: this.message.cast::<ManuallyDrop<T>>(),
            mark: this.mark.take(),
        };
        // SAFETY: the message is moved out; from here on the box owns its memory only.
        match test(unsafe { ptr::read(this.message) }) {
            Ok(()) => None,
            Err(refused) => {
                // SAFETY: the memory is still the box's.
                unsafe { ptr::write(this.message, refused) };
                let mark = left.mark.take();
                std::mem::forget(left);
                Some(Marked {
                    message: this.message,
                    mark,
                })
            }
        }
    }

    pub(super) fn set(this: &mut Marked<T>, mark: Arc<dyn Mark>) {
        mark.unreceived().fetch_add(1, Ordering::Relaxed);
        this.mark = Some(mark);
    }

    pub(super) fn has(this: &Marked<T>, mark: *const ()) -> bool {
        let own = this.mark.as_ref();
        own.is_some_and(|own| ptr::addr_eq(Arc::as_ptr(own), mark))
    }
}

fn forget_mark(mark: &mut Option<Arc<dyn Mark>>) {
    if let Some(mark) = mark.take() {
        // ORDERING: release, for who finds none left: the message is gone.
        mark.unreceived().fetch_sub(1, Ordering::Release);
    }
}

impl<T> Drop for Marked<T> {
    fn drop(&mut self) {
        forget_mark(&mut self.mark);
        // SAFETY: `message` is a box's, and nobody uses it any more.
        drop(unsafe { Box::from_raw(self.message) });
    }
}
