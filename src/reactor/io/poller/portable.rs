//! The `polling` crate: kqueue, event ports, IOCP. Untested but for what its tests on
//! Linux show.

use std::io;
use std::time::Duration;

use polling::PollMode;

use super::{Event, Interest, NOTIFY, Raw, Watch};

pub(in super::super) struct Poller(polling::Poller);

/// A batch of events.
pub(in super::super) struct Events(polling::Events);

fn event(key: usize, interest: Interest) -> polling::Event {
    polling::Event::new(key, interest.is_readable(), interest.is_writable())
}

fn mode(watch: Watch) -> (Interest, PollMode) {
    match watch {
        Watch::Edge => (Interest::READABLE | Interest::WRITABLE, PollMode::Edge),
        Watch::Once(interest) => (interest, PollMode::Oneshot),
    }
}

#[cfg(unix)]
fn borrow<'a>(raw: Raw) -> std::os::fd::BorrowedFd<'a> {
    // SAFETY: it is handed to one call and not kept.
    unsafe { std::os::fd::BorrowedFd::borrow_raw(raw) }
}

#[cfg(windows)]
fn borrow<'a>(raw: Raw) -> std::os::windows::io::BorrowedSocket<'a> {
    // SAFETY: it is handed to one call and not kept.
    unsafe { std::os::windows::io::BorrowedSocket::borrow_raw(raw) }
}

impl Poller {
    pub(in super::super) fn new() -> io::Result<Poller> {
        const {
            assert!(
                NOTIFY == usize::MAX,
                "the key that `polling` keeps for itself"
            )
        };
        polling::Poller::new().map(Poller)
    }

    /// Whether it can watch for edges. IOCP can't.
    pub(in super::super) fn has_edges(&self) -> bool {
        self.0.supports_edge()
    }

    pub(in super::super) fn add(&self, raw: Raw, key: usize, watch: Watch) -> io::Result<()> {
        let (interest, mode) = mode(watch);
        // SAFETY: whoever registers a source removes it before it is closed.
        unsafe { self.0.add_with_mode(raw, event(key, interest), mode) }
    }

    pub(in super::super) fn modify(&self, raw: Raw, key: usize, watch: Watch) -> io::Result<()> {
        let (interest, mode) = mode(watch);
        self.0
            .modify_with_mode(borrow(raw), event(key, interest), mode)
    }

    pub(in super::super) fn delete(&self, raw: Raw) -> io::Result<()> {
        self.0.delete(borrow(raw))
    }

    /// Waits for events, a notification, or the end of `limit`; `None` has none.
    pub(in super::super) fn wait(
        &self,
        events: &mut Events,
        limit: Option<Duration>,
    ) -> io::Result<()> {
        events.0.clear();
        self.0.wait(&mut events.0, limit).map(|_| ())
    }

    /// Ends a wait that goes on, or the next one.
    pub(in super::super) fn notify(&self) {
        let _ = self.0.notify();
    }
}

impl Events {
    pub(in super::super) fn new() -> Events {
        Events(polling::Events::new())
    }

    pub(in super::super) fn iter(&self) -> impl Iterator<Item = Event> + '_ {
        self.0.iter().map(|event| Event {
            key: event.key,
            ready: Interest::new(event.readable, event.writable),
            // It does not say who has hung up.
            more: true,
        })
    }
}
