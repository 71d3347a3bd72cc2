//! A bundle: messages that one thread has sent to one mailbox in a row, in one piece of
//! memory.
//!
//! A sender that is ahead of its receiver pays for a node, an exchange on the queue's
//! word and a cache line or two for every message. In a bundle, a message of one word
//! takes 16 bytes next to the one before, and an exchange on a word that nobody else is
//! at. The bundle is one link of the incoming queue, and grows where it lies.
//!
//! ```text
//!   holder  ──append──▶ state: length, count, HELD ◀──seal── consumer
//!   holder  ──let go──▶        !HELD | CLOSED | DONE ◀─done── consumer
//! ```
//!
//! * `[U1]` One thread, the holder, appends to a bundle, and only while the bundle is
//!   the newest link of its queue. So order and causality are those of single pushes.
//! * `[U2]` The consumer seals a bundle when it takes it off the queue's word. What was
//!   appended before is in the count that the seal returns; after it nothing is appended.
//! * `[U3]` The memory is freed by the later of the holder, who lets go, and the
//!   consumer, for whom every message has left. A holder may look at it until then.
//!
//! Checked by the models in `bundle/` and the tests of `stream`.

use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

use super::node::{BUNDLE, Body, Node, VTable};
use super::pool;
use crate::sync::{AtomicU32, Ordering};

/// Words of messages in a bundle.
#[cfg(not(uproar_loom))]
const WORDS: usize = 123;
#[cfg(uproar_loom)]
const WORDS: usize = 5;

/// The state's low bits: words in use, then messages.
const LENGTH: u32 = 0xfff;
const ONE_MESSAGE: u32 = 0x1000;
/// The holder may append.
const HELD: u32 = 1 << 28;
/// The consumer has it: nobody appends any more.
const CLOSED: u32 = 1 << 29;
/// The consumer is done with it.
const DONE: u32 = 1 << 30;

/// One cache line of what both ends look at, the messages, and what only the consumer
/// looks at.
#[repr(C, align(64))]
pub(crate) struct Bundle {
    /// As in a [`Node`].
    next: *mut Node,
    vtable: &'static VTable,
    state: AtomicU32,
    words: [MaybeUninit<usize>; WORDS],
    /// The consumer's: messages that have not left, and words that have been read.
    unresolved: u32,
    at: u32,
}

#[cfg(all(target_pointer_width = "64", not(uproar_loom)))]
const _: () = assert!(size_of::<Bundle>() == 1024);
const _: () = assert!(WORDS < LENGTH as usize && (WORDS as u32) * ONE_MESSAGE < HELD);

fn messages(state: u32) -> u32 {
    (state & (HELD - 1)) / ONE_MESSAGE
}

/// What has become of a bundle that its holder lets go of.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Left {
    /// The queue or its consumer has it.
    ToConsumer,
    /// Nobody: it is the holder's to use again or to free.
    Nobody,
}

/// All functions take a pointer to a valid bundle. What each caller must be is said
/// where it is not "anyone".
impl Bundle {
    /// An empty bundle, held by the caller.
    pub(super) fn new() -> NonNull<Bundle> {
        let bundle = pool::allocate_bundle();
        // SAFETY: memory for a bundle that nobody else has.
        unsafe {
            let p = bundle.as_ptr();
            (&raw mut (*p).state).write(AtomicU32::new(0));
            Bundle::renew(bundle);
        }
        bundle
    }

    /// Makes the bundle an empty one, held by the caller.
    ///
    /// # Safety
    /// Nobody else has it.
    #[inline]
    pub(super) unsafe fn renew(this: NonNull<Bundle>) {
        // SAFETY: by the contract.
        unsafe {
            let p = this.as_ptr();
            (&raw mut (*p).next).write(ptr::null_mut());
            (&raw mut (*p).vtable).write(&BUNDLE);
            // ORDERING: the push that follows publishes it.
            (*p).state.store(HELD, Ordering::Relaxed);
        }
    }

    /// Gives the memory back.
    ///
    /// # Safety
    /// Nobody else has it, and nothing is in it.
    pub(super) unsafe fn free(this: NonNull<Bundle>) {
        // SAFETY: by the contract.
        unsafe { pool::release_bundle(this) }
    }

    #[inline]
    unsafe fn body(this: NonNull<Bundle>, at: u32) -> *mut Body {
        // SAFETY: the caller's `at` is within the words.
        unsafe {
            (&raw mut (*this.as_ptr()).words)
                .cast::<usize>()
                .add(at as usize)
                .cast()
        }
    }

    /// Appends the message at `message`, unless the bundle is full or closed. Then it
    /// has moved. `held` is what the holder knows of the state.
    ///
    /// # Safety
    /// The caller is the holder [U1], and `message` is a valid one.
    #[inline(always)]
    pub(super) unsafe fn append<M: Send + 'static>(
        this: NonNull<Bundle>,
        held: &mut u32,
        message: *const M,
    ) -> bool {
        let at = *held & LENGTH;
        let needed = const { Body::words::<M>() } as u32;
        if (at + needed) as usize > WORDS {
            return false;
        }
        let now = *held + needed + ONE_MESSAGE;
        // SAFETY: the words from `at` on are the holder's until the exchange, and
        // again when it fails.
        unsafe {
            let body = Bundle::body(this, at);
            Body::write::<M, false>(body, message);
            // ORDERING: release publishes the message to the seal's acquire.
            let appended = (*this.as_ptr())
                .state
                .compare_exchange(*held, now, Ordering::Release, Ordering::Relaxed)
                .is_ok();
            if appended {
                *held = now;
            } else {
                Body::unwrite::<M>(body);
            }
            appended
        }
    }

    /// What the holder of a new bundle knows of the state.
    pub(super) const fn held() -> u32 {
        HELD
    }

    /// Whether a bundle was worth it.
    #[inline]
    pub(super) fn is_well_used(held: u32) -> bool {
        messages(held) >= 8
    }

    /// Takes the one message of a bundle that was refused by its queue back out, and
    /// frees the bundle.
    ///
    /// # Safety
    /// The caller is the holder, and nobody else has it.
    pub(super) unsafe fn take_back<M: Send + 'static>(this: NonNull<Bundle>) -> M {
        // SAFETY: by the contract.
        unsafe {
            let message = Body::take(Bundle::body(this, 0)).expect("what was put in");
            Bundle::free(this);
            message
        }
    }

    /// Ends the holder's part.
    ///
    /// # Safety
    /// The caller is the holder, and is so no more when it is left to the consumer.
    pub(super) unsafe fn let_go(this: NonNull<Bundle>) -> Left {
        // ORDERING: acquire pairs with `done`: the consumer has read all of it; release
        // is for the consumer that frees it.
        // SAFETY: [U3] it is still held.
        let before = unsafe { &(*this.as_ptr()).state }.fetch_and(!HELD, Ordering::AcqRel);
        if before & DONE == 0 {
            Left::ToConsumer
        } else {
            Left::Nobody
        }
    }

    /// Whether the consumer is done with it, so that the holder may use it again.
    ///
    /// # Safety
    /// The caller is the holder.
    #[inline]
    pub(super) unsafe fn is_done(this: NonNull<Bundle>) -> bool {
        // ORDERING: acquire pairs with `done`.
        // SAFETY: [U3] it is held.
        unsafe { &(*this.as_ptr()).state }.load(Ordering::Acquire) & DONE != 0
    }

    /// Messages in it. For anyone who knows that it is not freed meanwhile.
    ///
    /// # Safety
    /// The bundle is in a queue, or the caller is its consumer.
    #[cfg(not(uproar_loom))]
    pub(super) unsafe fn count(this: NonNull<Bundle>) -> u32 {
        // SAFETY: by the contract.
        messages(unsafe { &(*this.as_ptr()).state }.load(Ordering::Relaxed))
    }

    /// Messages that have not left it.
    ///
    /// # Safety
    /// The caller is the consumer, who has sealed it.
    pub(super) unsafe fn unread(this: NonNull<Bundle>) -> u32 {
        // SAFETY: by the contract.
        unsafe { (*this.as_ptr()).unresolved }
    }

    /// Ends the appending [U2]. Messages in it.
    ///
    /// # Safety
    /// The caller is the consumer, who has just taken it off the queue.
    #[inline]
    pub(super) unsafe fn seal(this: NonNull<Bundle>) -> u32 {
        // SAFETY: the consumer's fields are the caller's.
        unsafe {
            let p = this.as_ptr();
            // ORDERING: acquire pairs with the appends' release.
            let state = (*p).state.fetch_or(CLOSED, Ordering::Acquire);
            let messages = messages(state);
            (&raw mut (*p).unresolved).write(messages);
            (&raw mut (*p).at).write(0);
            messages
        }
    }

    /// The oldest message that has not been taken out, and whether it was the last: then
    /// the caller has seen the bundle for the last time.
    ///
    /// # Safety
    /// The caller is the consumer, and the last one has not been taken out.
    #[inline]
    pub(super) unsafe fn pop(this: NonNull<Bundle>) -> (Item, bool) {
        // SAFETY: [U2] it is sealed: words below the length hold messages one after the
        // other, each with as many words as its vtable says.
        unsafe {
            let p = this.as_ptr();
            let at = (*p).at;
            let body = Bundle::body(this, at);
            let next = at + Body::in_use(body) as u32;
            (*p).at = next;
            // ORDERING: the length has been final since the seal.
            let length = (*p).state.load(Ordering::Relaxed) & LENGTH;
            let item = Item { body, bundle: this };
            (item, next >= length)
        }
    }

    /// A message has left for good.
    ///
    /// # Safety
    /// The caller is the consumer.
    #[inline]
    unsafe fn resolve(this: NonNull<Bundle>) {
        // SAFETY: by the contract.
        unsafe {
            let left = &raw mut (*this.as_ptr()).unresolved;
            *left -= 1;
            if *left == 0 {
                Bundle::done(this);
            }
        }
    }

    /// # Safety
    /// The caller is the consumer, and doesn't look at the bundle any more.
    unsafe fn done(this: NonNull<Bundle>) {
        // ORDERING: release, so that the holder that uses it again comes after all
        // that was read; acquire, when this is the end of it.
        // SAFETY: [U3] it is not freed before this.
        let before = unsafe { &(*this.as_ptr()).state }.fetch_or(DONE, Ordering::AcqRel);
        if before & HELD == 0 {
            // SAFETY: [U3] the holder has let go, and all messages have left.
            unsafe { Bundle::free(this) }
        }
    }
}

/// A message that still lies in its bundle. It doesn't leave the consumer's hands.
pub(crate) struct Item {
    body: *mut Body,
    bundle: NonNull<Bundle>,
}

impl Item {
    #[inline]
    pub(super) fn body(&self) -> *mut Body {
        self.body
    }
}

impl Drop for Item {
    #[inline]
    fn drop(&mut self) {
        /// Also when the payload's destructor panics.
        struct Resolve(NonNull<Bundle>);
        impl Drop for Resolve {
            #[inline]
            fn drop(&mut self) {
                // SAFETY: an item is dropped once, by the consumer.
                unsafe { Bundle::resolve(self.0) }
            }
        }

        let _resolve = Resolve(self.bundle);
        // SAFETY: the message is the item's.
        unsafe { Body::drop_payload(self.body) }
    }
}

#[cfg(all(test, uproar_loom))]
#[path = "bundle/models.rs"]
mod loom_models;
