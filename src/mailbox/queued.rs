//! A message on its way out of the mailbox, in a node of its own or in a bundle.

use super::bundle::Item;
use super::node::{Body, NodeBox, VTable};

pub(crate) enum Queued {
    Node(NodeBox),
    Item(Item),
}

impl Queued {
    #[inline]
    pub(super) fn body(&self) -> *mut Body {
        match self {
            Queued::Node(node) => node.body(),
            Queued::Item(item) => item.body(),
        }
    }

    #[inline]
    pub(super) fn vtable(&self) -> &'static VTable {
        // SAFETY: nodes and items own valid bodies.
        unsafe { Body::vtable(self.body()) }
    }

    /// See [`Body::take_if`].
    #[inline]
    pub(super) fn take_if<T, A>(&mut self, test: impl FnOnce(T) -> Result<A, T>) -> Option<A>
    where
        T: Send + 'static,
    {
        // SAFETY: as above; it stays borrowed while `test` runs.
        unsafe { Body::take_if(self.body(), test) }
    }

    /// The message in a node of its own, so that it can go anywhere.
    pub(super) fn into_node(self) -> NodeBox {
        match self {
            Queued::Node(node) => node,
            // SAFETY: as above. The item is empty from here on, and is dropped as such.
            Queued::Item(item) => unsafe { NodeBox::moved_from(item.body()) },
        }
    }
}
