//! The system's way to wait for many sources at once.
//!
//! Two twins: `epoll` on Linux, and `polling` elsewhere. On Linux the second is compiled
//! for its tests.

#[cfg(target_os = "linux")]
mod epoll;
#[cfg(any(not(target_os = "linux"), all(test, not(uproar_loom))))]
mod portable;

#[cfg(target_os = "linux")]
pub(super) use epoll::{Events, Poller};
#[cfg(not(target_os = "linux"))]
pub(super) use portable::{Events, Poller};

#[cfg(unix)]
pub(crate) type Raw = std::os::fd::RawFd;
#[cfg(windows)]
pub(crate) type Raw = std::os::windows::io::RawSocket;

use super::Interest;

/// How a source is watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Watch {
    /// For both directions, each time that it becomes ready.
    Edge,
    /// For one event, and then no more.
    Once(Interest),
}

/// A source is ready.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Event {
    pub(super) key: usize,
    pub(super) ready: Interest,
    /// A call that takes less than it asked for may leave more: the other side has hung
    /// up, there is an error or urgent data.
    pub(super) more: bool,
}

/// The key of what wakes the poller.
const NOTIFY: usize = usize::MAX;

#[cfg(all(test, target_os = "linux", not(uproar_loom)))]
mod tests;
