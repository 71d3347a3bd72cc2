//! Linux's epoll: one system call to wait, one to wake the one who waits.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::event::{EventfdFlags, Timespec, eventfd};

use super::{Event, Interest, NOTIFY, Raw, Watch};

/// Events that one wait fetches at most: less than the ring of a worker has room for.
const BATCH: usize = 128;

pub(in super::super) struct Poller {
    epoll: OwnedFd,
    /// Registered for edges: each write is one, and nobody has to read.
    notify: OwnedFd,
}

/// A batch of events.
pub(in super::super) struct Events(Vec<epoll::Event>);

// SAFETY: an event is two numbers; that one of them may be a pointer is for others.
unsafe impl Send for Events {}

fn flags(watch: Watch) -> EventFlags {
    let read = EventFlags::IN | EventFlags::PRI | EventFlags::RDHUP;
    match watch {
        Watch::Edge => EventFlags::ET | read | EventFlags::OUT,
        Watch::Once(interest) => {
            let mut flags = EventFlags::ONESHOT;
            flags.set(read, interest.is_readable());
            flags.set(EventFlags::OUT, interest.is_writable());
            flags
        }
    }
}

fn borrow<'a>(raw: Raw) -> BorrowedFd<'a> {
    // SAFETY: it is handed to `epoll_ctl` and not kept. Whoever registers a source
    // removes it before it is closed; if somebody has closed it behind their back, the
    // call fails or does to another source what its own owner will undo.
    unsafe { BorrowedFd::borrow_raw(raw) }
}

impl Poller {
    pub(in super::super) fn new() -> io::Result<Poller> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        let notify = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let data = EventData::new_u64(NOTIFY as u64);
        epoll::add(&epoll, &notify, data, EventFlags::IN | EventFlags::ET)?;
        Ok(Poller { epoll, notify })
    }

    /// Whether it can watch for edges.
    pub(in super::super) fn has_edges(&self) -> bool {
        true
    }

    pub(in super::super) fn add(&self, raw: Raw, key: usize, watch: Watch) -> io::Result<()> {
        let data = EventData::new_u64(key as u64);
        Ok(epoll::add(&self.epoll, borrow(raw), data, flags(watch))?)
    }

    pub(in super::super) fn modify(&self, raw: Raw, key: usize, watch: Watch) -> io::Result<()> {
        let data = EventData::new_u64(key as u64);
        Ok(epoll::modify(&self.epoll, borrow(raw), data, flags(watch))?)
    }

    pub(in super::super) fn delete(&self, raw: Raw) -> io::Result<()> {
        Ok(epoll::delete(&self.epoll, borrow(raw))?)
    }

    /// Waits for events, a notification, or the end of `limit`; `None` has none. A signal
    /// of the OS may end it early.
    pub(in super::super) fn wait(
        &self,
        events: &mut Events,
        limit: Option<Duration>,
    ) -> io::Result<()> {
        let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
        events.0.clear();
        let room = rustix::buffer::spare_capacity(&mut events.0);
        match epoll::wait(&self.epoll, room, limit.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Ends a wait that goes on, or the next one.
    pub(in super::super) fn notify(&self) {
        // The counter can't get so high that it fails.
        let _ = rustix::io::write(&self.notify, &1u64.to_ne_bytes());
    }
}

impl Events {
    pub(in super::super) fn new() -> Events {
        Events(Vec::with_capacity(BATCH))
    }

    pub(in super::super) fn iter(&self) -> impl Iterator<Item = Event> + '_ {
        let events = self.0.iter().filter(|e| e.data.u64() != NOTIFY as u64);
        events.map(|event| {
            let flags = event.flags;
            let broken = EventFlags::HUP | EventFlags::ERR;
            let read = EventFlags::IN | EventFlags::PRI | EventFlags::RDHUP | broken;
            Event {
                key: event.data.u64() as usize,
                ready: Interest::new(
                    flags.intersects(read),
                    flags.intersects(EventFlags::OUT | broken),
                ),
                more: flags.intersects(EventFlags::PRI | EventFlags::RDHUP | broken),
            }
        })
    }
}
