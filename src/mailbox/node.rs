//! One queued signal, and the table that says what is in it.

use std::any::TypeId;
use std::mem::{self, ManuallyDrop, MaybeUninit};
use std::ptr::{self, NonNull};
use std::sync::Arc;

use super::marked::{Mark, Marked};
use super::pool;

/// The room for a message inside a node.
pub(crate) type Payload = MaybeUninit<[usize; WORDS]>;

/// A message of up to so many machine words lives inside its node; a larger one
/// is boxed.
const WORDS: usize = 3;

/// What a node carries, one static per type.
pub(crate) struct VTable {
    pub(crate) kind: Kind,
    /// How much of the payload is in use.
    words: u8,
    /// The payload is a [`Marked`], not the message or its box.
    marked: bool,
    /// It is a message of the runtime, which takes no place in a bounded mailbox.
    pub(super) notice: bool,
    pub(crate) type_id: TypeId,
    pub(crate) type_name: fn() -> &'static str,
    /// Drops the payload in place. `None` where there is nothing to do.
    drop: Option<unsafe fn(*mut Payload)>,
}

/// What the mailbox does with a node when it reaches the receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A message: a receive may take it.
    Message,
    /// A control signal: acted on by the mailbox itself, in its place in the order.
    Control,
    /// Several messages: see `bundle`.
    Bundle,
}

/// A queued signal: link, type, payload. 40 bytes on 64-bit machines.
#[repr(C)]
pub(crate) struct Node {
    /// The neighbour in whatever list the node is in.
    pub(crate) next: *mut Node,
    body: Body,
}

/// A signal without a link: what a node holds, and what lies in a bundle.
#[repr(C)]
pub(super) struct Body {
    vtable: &'static VTable,
    /// In a bundle only as long as its content.
    payload: Payload,
}

impl Node {
    /// What the link is. It may be a bundle's, of which others look at the rest: no
    /// reference to the node is made.
    ///
    /// # Safety
    /// The link is the caller's, and a `Node` or a `Bundle`.
    #[inline]
    pub(super) unsafe fn kind(this: *const Node) -> Kind {
        // SAFETY: by the contract.
        unsafe { (*this).body.vtable.kind }
    }
}

/// Nothing is in the body: its payload has been moved out.
struct Empty;

static EMPTY: VTable = VTable {
    kind: Kind::Message,
    words: 0,
    marked: false,
    notice: false,
    type_id: TypeId::of::<Empty>(),
    type_name: || "(taken)",
    drop: None,
};

/// The vtable of a bundle's link.
pub(super) static BUNDLE: VTable = VTable {
    kind: Kind::Bundle,
    words: 0,
    marked: false,
    notice: false,
    type_id: TypeId::of::<Empty>(),
    type_name: || "(bundle)",
    drop: None,
};

const fn inline<T>() -> bool {
    mem::size_of::<T>() <= mem::size_of::<Payload>()
        && mem::align_of::<T>() <= mem::align_of::<Payload>()
}

unsafe fn drop_inline<T>(payload: *mut Payload) {
    // SAFETY: the caller's node holds an inline `T`, which nobody uses any more.
    unsafe { ptr::drop_in_place(payload.cast::<T>()) }
}

unsafe fn drop_boxed<T>(payload: *mut Payload) {
    // SAFETY: the caller's node holds the pointer of a boxed `T`.
    drop(unsafe { Box::from_raw(payload.cast::<*mut T>().read()) });
}

/// Words of payload that a `T` needs.
const fn words<T>() -> usize {
    if inline::<T>() {
        mem::size_of::<T>().div_ceil(mem::size_of::<usize>())
    } else {
        1
    }
}

struct Table<T, const CONTROL: bool>(T);

impl<T: Send + 'static, const CONTROL: bool> Table<T, CONTROL> {
    const VTABLE: &'static VTable = &VTable {
        kind: if CONTROL {
            Kind::Control
        } else {
            Kind::Message
        },
        words: words::<T>() as u8,
        marked: false,
        notice: false,
        type_id: TypeId::of::<T>(),
        type_name: std::any::type_name::<T>,
        drop: if !inline::<T>() {
            Some(drop_boxed::<T>)
        } else if mem::needs_drop::<T>() {
            Some(drop_inline::<T>)
        } else {
            None
        },
    };
}

/// Frees a box's memory, not what was in it. The box has been taken apart.
struct Memory<T>(*mut T);

impl<T> Drop for Memory<T> {
    fn drop(&mut self) {
        // SAFETY: it came from a box; a `ManuallyDrop` has the same layout.
        drop(unsafe { Box::from_raw(self.0.cast::<ManuallyDrop<T>>()) });
    }
}

struct NoticeTable<T>(T);

impl<T: Send + 'static> NoticeTable<T> {
    const VTABLE: &'static VTable = &VTable {
        kind: Kind::Message,
        words: words::<T>() as u8,
        marked: false,
        notice: true,
        type_id: TypeId::of::<T>(),
        type_name: std::any::type_name::<T>,
        drop: Table::<T, false>::VTABLE.drop,
    };
}

struct MarkedTable<T>(T);

impl<T: Send + 'static> MarkedTable<T> {
    const VTABLE: &'static VTable = &VTable {
        kind: Kind::Message,
        words: WORDS as u8,
        marked: true,
        notice: false,
        type_id: TypeId::of::<T>(),
        type_name: std::any::type_name::<T>,
        drop: Some(drop_inline::<Marked<T>>),
    };
}

const _: () = assert!(mem::size_of::<Marked<()>>() == mem::size_of::<Payload>());

/// What can be done with a body, wherever it lies.
///
/// All of it needs a body that is valid, and that nobody else has.
impl Body {
    /// Words that a body with a `T` in it needs.
    pub(super) const fn words<T>() -> usize {
        1 + words::<T>()
    }

    /// Puts a copy of what is at `value` in. With the copy, the value has moved.
    ///
    /// # Safety
    /// `this` has room for [`Body::words`] of `T`, and `value` is a valid one.
    #[inline]
    pub(super) unsafe fn write<T: Send + 'static, const CONTROL: bool>(
        this: *mut Body,
        value: *const T,
    ) {
        // SAFETY: by the contract.
        unsafe {
            (&raw mut (*this).vtable).write(Table::<T, CONTROL>::VTABLE);
            let payload = &raw mut (*this).payload;
            if const { inline::<T>() } {
                ptr::copy_nonoverlapping(value, payload.cast::<T>(), 1);
            } else {
                let boxed = Box::into_raw(Box::new(value.read()));
                payload.cast::<*mut T>().write(boxed);
            }
        }
    }

    /// Takes `write` back: the value has not moved.
    ///
    /// # Safety
    /// The body was written last, with a `T`.
    #[cold]
    pub(super) unsafe fn unwrite<T>(this: *mut Body) {
        if !inline::<T>() {
            // SAFETY: by the contract there is a box.
            drop(Memory(unsafe {
                (&raw mut (*this).payload).cast::<*mut T>().read()
            }));
        }
    }

    /// Words that are in use.
    ///
    /// # Safety
    /// As for all of `Body`.
    #[inline]
    pub(super) unsafe fn in_use(this: *const Body) -> usize {
        // SAFETY: by the contract.
        1 + usize::from(unsafe { (*this).vtable.words })
    }

    /// # Safety
    /// As for all of `Body`.
    #[inline]
    pub(super) unsafe fn vtable(this: *const Body) -> &'static VTable {
        // SAFETY: by the contract.
        unsafe { (*this).vtable }
    }

    /// Whether a `T` is in it.
    ///
    /// # Safety
    /// As for all of `Body`.
    #[inline]
    pub(super) unsafe fn is<T: 'static>(this: *const Body) -> bool {
        // SAFETY: by the contract.
        unsafe { (*this).vtable.type_id == const { TypeId::of::<T>() } }
    }

    /// Moves the `T` out, after which the body is empty; `None` if something else is in it.
    ///
    /// # Safety
    /// As for all of `Body`.
    #[inline]
    pub(super) unsafe fn take<T: Send + 'static>(this: *mut Body) -> Option<T> {
        // SAFETY: the vtable says that the payload is a `T`, and says from here
        // on that there is none, so it is moved out once.
        unsafe {
            if !Body::is::<T>(this) {
                return None;
            }
            let marked = (*this).vtable.marked;
            (*this).vtable = &EMPTY;
            let payload = &raw mut (*this).payload;
            Some(if marked {
                payload.cast::<Marked<T>>().read().receive()
            } else if const { inline::<T>() } {
                payload.cast::<T>().read()
            } else {
                *Box::from_raw(payload.cast::<*mut T>().read())
            })
        }
    }

    /// Shows the `T` to `test`, which keeps it or gives it back. `None` if it gave
    /// it back or something else is in the body.
    ///
    /// A boxed message stays in its box's memory when it is refused. If `test`
    /// panics, the message goes with the panic and the body is empty.
    ///
    /// # Safety
    /// As for all of `Body`, also while `test` runs.
    #[inline]
    pub(super) unsafe fn take_if<T, A>(
        this: *mut Body,
        test: impl FnOnce(T) -> Result<A, T>,
    ) -> Option<A>
    where
        T: Send + 'static,
    {
        // SAFETY: the vtable says that the payload is a `T`. It says "empty" while
        // the value is out, so the value is dropped once, panic or not, and it
        // says `T` again only after the value has been written back.
        unsafe {
            if !Body::is::<T>(this) {
                return None;
            }
            let payload = &raw mut (*this).payload;
            let vtable = (*this).vtable;
            (*this).vtable = &EMPTY;
            if vtable.marked {
                let mut test = Some(test);
                let mut kept = None;
                let left = payload.cast::<Marked<T>>().read().show(&mut |message| {
                    let test = test.take().expect("a message is shown once");
                    test(message).map(|accepted| kept = Some(accepted))
                });
                match left {
                    None => return kept,
                    Some(left) => payload.cast::<Marked<T>>().write(left),
                }
            } else if const { inline::<T>() } {
                match test(payload.cast::<T>().read()) {
                    Ok(kept) => return Some(kept),
                    Err(refused) => payload.cast::<T>().write(refused),
                }
            } else {
                let memory = Memory(payload.cast::<*mut T>().read());
                match test(memory.0.read()) {
                    Ok(kept) => return Some(kept),
                    Err(refused) => memory.0.write(refused),
                }
                mem::forget(memory);
            }
            (*this).vtable = vtable;
            None
        }
    }

    /// Drops what is in it.
    ///
    /// # Safety
    /// As for all of `Body`. The body is not used again before it is written anew.
    #[inline]
    pub(super) unsafe fn drop_payload(this: *mut Body) {
        // SAFETY: the payload is what the vtable says.
        unsafe {
            if let Some(drop) = (*this).vtable.drop {
                drop(&raw mut (*this).payload);
            }
        }
    }
}

/// An owned node. Dropping it drops the payload and recycles the node.
pub(crate) struct NodeBox(NonNull<Node>);

// SAFETY: a node owns its payload, which is `Send` (see `NodeBox::new`), and is
// reached through one owner at a time.
unsafe impl Send for NodeBox {}

impl NodeBox {
    /// A node with a message in it.
    #[inline]
    pub(crate) fn message<T: Send + 'static>(value: T) -> NodeBox {
        Self::new::<T, false>(value)
    }

    /// A node with a control signal in it.
    pub(crate) fn control<T: Send + 'static>(value: T) -> NodeBox {
        Self::new::<T, true>(value)
    }

    #[inline]
    fn new<T: Send + 'static, const CONTROL: bool>(value: T) -> NodeBox {
        let node = pool::allocate();
        // SAFETY: the pool hands out memory for a node that nobody else has; all
        // of its fields are written here before anyone reads them.
        unsafe {
            let p = node.as_ptr();
            (&raw mut (*p).next).write(ptr::null_mut());
            Body::write::<T, CONTROL>(&raw mut (*p).body, &raw const *ManuallyDrop::new(value));
        }
        NodeBox(node)
    }

    /// A node with a message of the runtime.
    pub(super) fn notice<T: Send + 'static>(value: T) -> NodeBox {
        let node = NodeBox::message(value);
        // SAFETY: an owned node's body is valid, and both vtables say the same of it.
        unsafe { (*node.body()).vtable = NoticeTable::<T>::VTABLE };
        node
    }

    /// Whether it takes a place in a bounded mailbox.
    pub(super) fn takes_place(&self) -> bool {
        let vtable = self.vtable();
        vtable.kind == Kind::Message && !vtable.notice
    }

    /// The `T` in it, if that is what it has, unmarked.
    pub(super) fn peek<T: 'static>(&self) -> Option<&T> {
        // SAFETY: an owned node's body is valid, and the vtable says what is in it.
        unsafe {
            let body = self.body();
            if !Body::is::<T>(body) || (*body).vtable.marked {
                return None;
            }
            let payload = &raw const (*body).payload;
            Some(if inline::<T>() {
                &*payload.cast::<T>()
            } else {
                &**payload.cast::<*const T>()
            })
        }
    }

    /// A node with a message that can be marked.
    pub(crate) fn markable<T: Send + 'static>(value: T) -> NodeBox {
        let node = pool::allocate();
        // SAFETY: as in `new`.
        unsafe {
            let p = node.as_ptr();
            (&raw mut (*p).next).write(ptr::null_mut());
            (&raw mut (*p).body.vtable).write(MarkedTable::<T>::VTABLE);
            let payload = &raw mut (*p).body.payload;
            payload.cast::<Marked<T>>().write(Marked::new(value));
        }
        NodeBox(node)
    }

    /// Marks the message of a markable node.
    pub(crate) fn mark(&mut self, mark: Arc<dyn Mark>) {
        // SAFETY: an owned node's body is valid; the vtable says what the payload is,
        // which is laid out alike for all `T`.
        unsafe {
            let body = self.body();
            assert!((*body).vtable.marked, "only markable nodes are marked");
            Marked::set(&mut *(&raw mut (*body).payload).cast::<Marked<()>>(), mark);
        }
    }

    /// Whether its message has this mark.
    pub(super) fn has_mark(&self, mark: *const ()) -> bool {
        // SAFETY: as in `mark`.
        unsafe {
            let body = self.body();
            (*body).vtable.marked
                && Marked::has(&*(&raw const (*body).payload).cast::<Marked<()>>(), mark)
        }
    }

    /// A node with what is in `body`, which is empty from here on.
    ///
    /// # Safety
    /// As for all of [`Body`].
    pub(super) unsafe fn moved_from(body: *mut Body) -> NodeBox {
        let node = pool::allocate();
        // SAFETY: as in `new`; a body has as many words as its vtable says.
        unsafe {
            let p = node.as_ptr();
            (&raw mut (*p).next).write(ptr::null_mut());
            let vtable = mem::replace(&mut (*body).vtable, &EMPTY);
            (&raw mut (*p).body.vtable).write(vtable);
            ptr::copy_nonoverlapping(
                (&raw const (*body).payload).cast::<MaybeUninit<usize>>(),
                (&raw mut (*p).body.payload).cast(),
                usize::from(vtable.words),
            );
        }
        NodeBox(node)
    }

    /// Gives the node to a list that is linked through `Node::next`.
    #[inline]
    pub(crate) fn into_raw(self) -> NonNull<Node> {
        let node = self.0;
        mem::forget(self);
        node
    }

    /// Takes a node back from a list.
    ///
    /// # Safety
    /// `node` came from [`NodeBox::into_raw`] and is in no list any more.
    #[inline]
    pub(crate) unsafe fn from_raw(node: NonNull<Node>) -> NodeBox {
        NodeBox(node)
    }

    #[inline]
    pub(super) fn body(&self) -> *mut Body {
        // SAFETY: an owned node is a valid one.
        unsafe { &raw mut (*self.0.as_ptr()).body }
    }

    #[inline]
    pub(crate) fn vtable(&self) -> &'static VTable {
        // SAFETY: an owned node's body is valid.
        unsafe { Body::vtable(self.body()) }
    }

    /// Whether a `T` is in it.
    #[inline]
    pub(crate) fn is<T: 'static>(&self) -> bool {
        // SAFETY: as above.
        unsafe { Body::is::<T>(self.body()) }
    }

    /// Moves the `T` out, after which the node is empty; `None` if something else is in it.
    #[inline]
    pub(crate) fn take<T: Send + 'static>(&mut self) -> Option<T> {
        // SAFETY: as above, and borrowed by nobody else.
        unsafe { Body::take(self.body()) }
    }

    /// The message of a node that was not queued.
    #[cold]
    pub(crate) fn take_back<T: Send + 'static>(mut self) -> T {
        self.take().expect("the message that was put in")
    }
}

impl Drop for NodeBox {
    #[inline]
    fn drop(&mut self) {
        /// Recycles the node also when the payload's destructor panics.
        struct Recycle(NonNull<Node>);
        impl Drop for Recycle {
            fn drop(&mut self) {
                // SAFETY: the node's one owner is being dropped, its payload is gone.
                unsafe { pool::release(self.0) }
            }
        }

        let _recycle = Recycle(self.0);
        // SAFETY: an owned node's body is valid, and this is its end.
        unsafe { Body::drop_payload(self.body()) }
    }
}

#[cfg(all(test, not(uproar_loom)))]
#[path = "node/tests.rs"]
mod tests;
