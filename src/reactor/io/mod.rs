//! Readiness of sources: sockets, pipes, whatever the system can poll.
//!
//! There is one poller, made when it is first needed, and one seat in front of it: who
//! sits there waits for events and wakes those that they are for. An idle worker sits
//! down instead of sleeping, so what comes is run where it is noticed. While all workers
//! are busy, each looks in now and then, and the reactor's thread does at each tick of the
//! watch, so a worker that is stuck in an actor's code holds up no I/O.
//!
//! * `[I1]` An event is for the watch that it was fetched for. A watch has a key of its own,
//!   with a generation in it, which goes with the watch; so what was fetched for a
//!   descriptor that is closed wakes nobody that waits for the next one with its number.
//! * `[I2]` A source is registered while there is a waiter or a socket of [`net`] for it.
//!   The last one that goes takes it out before the descriptor is closed.
//! * `[I3]` A source for [`syscall`] fires once and is then silent until somebody waits
//!   again; a socket of `net` fires once for each edge. So what nobody waits for wakes
//!   nobody twice.
//! * `[I4]` When all workers sleep and somebody waits for a source, one of them sleeps in
//!   the seat: who leaves the seat is awake, and tries it again before it sleeps.
//!
//! No lock is held while a waker is woken or dropped.
//!
//! [`net`]: crate::net
//! [`syscall`]: crate::syscall()

mod interest;
mod poller;
mod port;

pub use interest::Interest;
pub(crate) use poller::{Event, Raw};
pub(crate) use port::{Edge, Fault, Place, Port, Side, Waited};

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::task::Waker;
use std::time::Duration;

use slab::Slab;

use crate::observe::events;
use crate::process::{ProcessRef, contain};
use crate::scheduler::context;
use crate::sync::CachePadded;
use poller::{Events, Poller, Watch};

/// Who waits.
pub(crate) enum Who {
    /// An actor of ours, under its own waker.
    Actor(ProcessRef),
    /// Somebody else.
    Foreign(Waker),
}

impl std::fmt::Debug for Who {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Who::Actor(_) => "Actor",
            Who::Foreign(_) => "Foreign",
        })
    }
}

impl Who {
    /// Whom a waker wakes.
    pub(crate) fn of(waker: &Waker) -> Who {
        match context::try_current() {
            Some(process) if process.is_own_waker(waker) => Who::Actor(ProcessRef::new(process)),
            _ => Who::Foreign(waker.clone()),
        }
    }

    /// Wakes them. Not on the reactor's thread, unless it is an actor.
    pub(crate) fn wake(self) {
        match self {
            Who::Actor(process) => process.wake(),
            Who::Foreign(waker) => contain(|| waker.wake()),
        }
    }
}

#[derive(Default)]
pub(crate) struct Io {
    table: Mutex<Table>,
    poller: OnceLock<Poller>,
    seat: Mutex<Option<Events>>,
    /// Waiters, and others that something from outside is under way for.
    waits: CachePadded<AtomicUsize>,
    /// The manual driver blocks in the poller.
    blocked: AtomicBool,
}

#[derive(Default)]
struct Table {
    entries: Slab<Entry>,
    by_raw: HashMap<Raw, usize>,
    generation: usize,
    /// Nobody waits any more.
    ended: bool,
}

/// A source that is registered.
struct Entry {
    raw: Raw,
    generation: usize,
    /// It belongs to a socket, and stays when nobody waits.
    kept: bool,
    port: Arc<Port>,
}

/// Half of a key is the place in the table, the other half the generation. [I1]
const HALF: u32 = usize::BITS / 2;
const LOW: usize = (1 << HALF) - 1;

fn key(at: usize, generation: usize) -> usize {
    at | (generation & LOW) << HALF
}

impl Table {
    fn next_generation(&mut self) -> usize {
        self.generation = self.generation.wrapping_add(1);
        self.generation & LOW
    }

    /// The entry of a source that has this port.
    fn find(&self, raw: Raw, port: &Arc<Port>) -> Option<usize> {
        let at = *self.by_raw.get(&raw)?;
        Arc::ptr_eq(&self.entries[at].port, port).then_some(at)
    }

    fn insert(&mut self, raw: Raw, kept: bool) -> io::Result<usize> {
        let at = self.entries.vacant_key();
        // All ones is the poller's own.
        if at >= LOW {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        self.entries.insert(Entry {
            raw,
            generation: 0,
            kept,
            port: Arc::new(Port::new()),
        });
        self.by_raw.insert(raw, at);
        Ok(at)
    }

    fn remove(&mut self, at: usize) -> Arc<Port> {
        let entry = self.entries.remove(at);
        self.by_raw.remove(&entry.raw);
        entry.port
    }
}

impl Io {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The poller; it is made under the table's lock.
    fn poller(&self, _table: &Table) -> io::Result<&Poller> {
        if let Some(poller) = self.poller.get() {
            return Ok(poller);
        }
        let poller = Poller::new()?;
        Ok(self.poller.get_or_init(|| poller))
    }

    /// Whether somebody waits.
    pub(crate) fn waits(&self) -> usize {
        self.waits.load(Ordering::SeqCst)
    }

    /// Sources that are registered.
    pub(crate) fn sources(&self) -> usize {
        self.table().entries.len()
    }

    /// Counts one that begins to wait.
    pub(crate) fn begin_wait(&self) {
        self.waits.fetch_add(1, Ordering::SeqCst);
    }

    /// Uncounts some that waited.
    pub(crate) fn end_waits(&self, waits: usize) {
        if waits > 0 {
            self.waits.fetch_sub(waits, Ordering::SeqCst);
        }
    }

    /// Registers a socket for its life. [I2]
    pub(crate) fn register(&self, raw: Raw) -> io::Result<Arc<Port>> {
        let mut woken = Vec::new();
        let result = self.registered(raw, true, &mut woken, |_| ());
        self.wake(woken);
        result.map(|(port, ())| port)
    }

    /// Takes a socket out. Before it is closed.
    pub(crate) fn deregister(&self, raw: Raw, port: &Arc<Port>) {
        let mut woken = Vec::new();
        {
            let mut table = self.table();
            if let Some(at) = table.find(raw, port) {
                table.remove(at);
                if let Some(poller) = self.poller.get() {
                    let _ = poller.delete(raw);
                }
            }
            port.fail(Fault::Closed, &mut woken);
        }
        self.wake(woken);
    }

    /// Has `who` wait for a source that may be any, and that may be in use.
    pub(crate) fn watch(
        &self,
        raw: Raw,
        interest: Interest,
        who: Who,
    ) -> io::Result<(Arc<Port>, Place)> {
        let mut woken = Vec::new();
        self.begin_wait();
        let mut who = Some(who);
        let result = self.registered(raw, false, &mut woken, |port| {
            port.join(interest, who.take().expect("it joins once"))
        });
        if who.is_some() {
            self.end_waits(1);
        }
        self.wake(woken);
        result
    }

    /// Takes a waiter back that `watch` has made.
    pub(crate) fn unwatch(&self, raw: Raw, port: &Arc<Port>, place: Place) {
        let gone = {
            let mut table = self.table();
            let gone = port.leave(place);
            if port.is_empty()
                && let Some(at) = table.find(raw, port)
                && !table.entries[at].kept
            {
                table.remove(at);
                if let Some(poller) = self.poller.get() {
                    let _ = poller.delete(raw);
                }
            }
            gone
        };
        self.end_waits(gone.waited.is_some().into());
    }

    /// Has the poller watch a source for a socket, or for those that `join` it.
    fn registered<R>(
        &self,
        raw: Raw,
        keep: bool,
        woken: &mut Vec<Who>,
        join: impl FnOnce(&Port) -> R,
    ) -> io::Result<(Arc<Port>, R)> {
        let mut table = self.table();
        if table.ended {
            return Err(Fault::Ended.into());
        }
        let poller = self.poller(&table)?;
        let mut at = table.by_raw.get(&raw).copied();
        if let Some(old) = at
            && !self.is_same(poller, &mut table, old)
        {
            // Somebody has closed it behind its waiters' backs, and the number is another's.
            table.remove(old).fail(Fault::Closed, woken);
            at = None;
        }
        let fresh = at.is_none();
        let at = match at {
            Some(at) => at,
            None => table.insert(raw, keep)?,
        };
        let port = Arc::clone(&table.entries[at].port);
        let joined = join(&port);
        table.entries[at].kept |= keep;
        if let Err(error) = arm(poller, &mut table, at, fresh) {
            table.remove(at).fail(Fault::Closed, woken);
            return Err(error);
        }
        Ok((port, joined))
    }

    /// Whether a source that is registered is still the one that has this number.
    fn is_same(&self, poller: &Poller, table: &mut Table, at: usize) -> bool {
        arm(poller, table, at, false).is_ok()
    }

    /// Takes the seat, if it is free.
    pub(crate) fn try_sit(&self) -> Option<Sitting<'_>> {
        let poller = self.poller.get()?;
        let mut events = match self.seat.try_lock() {
            Ok(events) => events,
            Err(TryLockError::Poisoned(error)) => error.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        events.get_or_insert_with(Events::new);
        Some(Sitting {
            io: self,
            poller,
            events,
        })
    }

    /// Makes the poller, for somebody who waits without a source.
    pub(crate) fn make_poller(&self) -> io::Result<()> {
        self.poller(&self.table()).map(|_| ())
    }

    /// Ends the wait of whoever sits, or the next one.
    pub(crate) fn notify(&self) {
        if let Some(poller) = self.poller.get() {
            poller.notify();
        }
    }

    /// Says, until dropped, that the manual driver blocks in the poller.
    pub(crate) fn block(&self) -> Blocked<'_> {
        self.blocked.store(true, Ordering::SeqCst);
        Blocked(self)
    }

    /// Ends the wait of the manual driver: somebody can run. After they have been queued.
    pub(crate) fn interrupt(&self) {
        fence(Ordering::SeqCst);
        if self.blocked.load(Ordering::SeqCst) {
            self.notify();
        }
    }

    /// Has a source watched anew, where edges are not to be had.
    pub(crate) fn rearm(&self, raw: Raw, port: &Arc<Port>) -> io::Result<()> {
        let mut table = self.table();
        match (self.poller.get(), table.find(raw, port)) {
            (Some(poller), Some(at)) if !poller.has_edges() => arm(poller, &mut table, at, false),
            _ => Ok(()),
        }
    }

    /// What the events are for: whom to wake. [I1]
    pub(crate) fn deliver(&self, events: impl IntoIterator<Item = Event>, woken: &mut Vec<Who>) {
        let before = woken.len();
        {
            let mut table = self.table();
            for event in events {
                let at = event.key & LOW;
                let Some(entry) = table.entries.get(at) else {
                    continue;
                };
                if key(at, entry.generation) != event.key {
                    continue;
                }
                entry.port.happen(event.ready, event.more, woken);
                let poller = self.poller.get().filter(|p| !(entry.kept && p.has_edges()));
                if let Some(poller) = poller
                    && !entry.port.wanted().is_nothing()
                    && arm(poller, &mut table, at, false).is_err()
                {
                    table.remove(at).fail(Fault::Closed, woken);
                }
            }
        }
        self.end_waits(woken.len() - before);
    }

    fn wake(&self, woken: Vec<Who>) {
        self.end_waits(woken.len());
        woken.into_iter().for_each(Who::wake);
    }

    /// Ends all waits, and refuses new ones: whom to wake.
    pub(crate) fn end(&self) -> Vec<Who> {
        let mut woken = Vec::new();
        let mut table = self.table();
        table.ended = true;
        for (_, entry) in &table.entries {
            entry.port.fail(Fault::Ended, &mut woken);
        }
        drop(table);
        self.end_waits(woken.len());
        woken
    }
}

/// Has the poller watch for what is waited for now. A socket is watched for edges, and
/// this asks anew whether it is ready.
fn arm(poller: &Poller, table: &mut Table, at: usize, fresh: bool) -> io::Result<()> {
    let generation = table.next_generation();
    let entry = &mut table.entries[at];
    // What was fetched for the watch before is not for this one; the new watch fires at
    // once if the source is ready.
    entry.generation = generation;
    let watch = if entry.kept && poller.has_edges() {
        Watch::Edge
    } else {
        Watch::Once(entry.port.wanted())
    };
    let key = key(at, generation);
    if !fresh {
        return poller.modify(entry.raw, key, watch);
    }
    match poller.add(entry.raw, key, watch) {
        // It was registered and never taken out: by somebody who closed it, and a duplicate
        // has kept it open.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            poller.modify(entry.raw, key, watch)
        }
        other => other,
    }
}

/// From [`Io::block`].
pub(crate) struct Blocked<'a>(&'a Io);

impl Drop for Blocked<'_> {
    fn drop(&mut self) {
        self.0.blocked.store(false, Ordering::SeqCst);
    }
}

/// The one in front of the poller.
pub(crate) struct Sitting<'a> {
    io: &'a Io,
    poller: &'a Poller,
    events: MutexGuard<'a, Option<Events>>,
}

impl Sitting<'_> {
    /// Waits for events, a notification or the end of `limit`, and fetches the events.
    pub(crate) fn wait(&mut self, limit: Option<Duration>) -> impl Iterator<Item = Event> + '_ {
        let batch = self.events.get_or_insert_with(Events::new);
        if let Err(error) = self.poller.wait(batch, limit) {
            // The seat is only ever tried for, so this may be called in it.
            events::poller_fails(&error);
            // Not to be called in a loop that never ends.
            std::thread::sleep(Duration::from_millis(10));
        }
        batch.iter()
    }

    /// [`wait`](Self::wait)s, and delivers.
    pub(crate) fn serve(&mut self, limit: Option<Duration>, woken: &mut Vec<Who>) {
        let io = self.io;
        io.deliver(self.wait(limit), woken);
    }
}
