//! What is known of one source, and who waits for it.
//!
//! A source that is watched for edges is tried first and waited for only when the system
//! says that it would block. In between it may become ready. So each edge is counted, and
//! whoever waits says which count they had read before they tried.
//!
//! `[R1]` A wait that was begun under an older count is over at once. The count is changed
//! and compared under the lock that the waiters are under, so of an edge and a wait the
//! second sees the first. Checked by the model below.

use std::io;
use std::mem;
use std::sync::PoisonError;

use slab::Slab;

use super::{Interest, Who};
use crate::sync::{AtomicBool, AtomicUsize, Mutex, MutexGuard, Ordering};

/// A direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Read,
    Write,
}

impl Side {
    fn interest(self) -> Interest {
        match self {
            Side::Read => Interest::READABLE,
            Side::Write => Interest::WRITABLE,
        }
    }
}

/// A count of edges. [R1]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Edge(usize);

impl Edge {
    /// The count of a source that has had none.
    pub(crate) const FIRST: Edge = Edge(1);
}

/// The count of none: a source that has never been found drained.
const NEVER: usize = 0;

#[derive(Debug)]
pub(crate) struct Port {
    /// Edges so far, from one on, by side. Changed under the lock.
    edges: [AtomicUsize; 2],
    /// The count under which a call found nothing more to be had.
    drained: [AtomicUsize; 2],
    /// A call that takes less than it asked for proves nothing any more.
    wary: AtomicBool,
    waiters: Mutex<Waiters>,
}

#[derive(Default, Debug)]
struct Waiters {
    all: Slab<Waiter>,
    fault: Option<Fault>,
}

#[derive(Debug)]
struct Waiter {
    interest: Interest,
    state: State,
}

#[derive(Debug)]
enum State {
    Waits(Who),
    Woken(Interest),
}

/// Why nobody waits for a source any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// Its owner is gone, or has closed it.
    Closed,
    /// The runtime has ended.
    Ended,
}

impl From<Fault> for io::Error {
    fn from(fault: Fault) -> io::Error {
        match fault {
            Fault::Closed => io::Error::new(
                io::ErrorKind::NotConnected,
                "uproar: the source was closed while it was waited for",
            ),
            Fault::Ended => io::Error::other(
                "uproar: the runtime in which this source was first waited for has ended; \
                 make a new one from the std type there",
            ),
        }
    }
}

/// A waiter's place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place(usize);

/// What became of a wait.
#[must_use]
pub(crate) enum Waited {
    /// It waits: one more does, if it has not waited before.
    Waits {
        first: bool,
    },
    /// The source has become ready meanwhile: try it.
    Try,
    Failed(Fault),
}

/// Somebody who waited and does no more.
#[must_use = "a waker is dropped when no lock is held"]
pub(crate) struct Gone {
    /// `Some`: it did wait to the last.
    pub(crate) waited: Option<Who>,
}

impl Port {
    pub(crate) fn new() -> Port {
        Port {
            edges: [AtomicUsize::new(1), AtomicUsize::new(1)],
            drained: [AtomicUsize::new(NEVER), AtomicUsize::new(NEVER)],
            wary: AtomicBool::new(false),
            waiters: Mutex::new(Waiters::default()),
        }
    }

    fn waiters(&self) -> MutexGuard<'_, Waiters> {
        self.waiters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The count of edges, to be read before the source is tried.
    pub(crate) fn edge(&self, side: Side) -> Edge {
        // ORDERING: pairs with the release in `happen`: what made the source ready is seen
        // by the call that follows.
        Edge(self.edges[side as usize].load(Ordering::Acquire))
    }

    /// Whether it would be in vain to try: nothing has come since the source was drained.
    pub(crate) fn is_drained(&self, side: Side, edge: Edge) -> bool {
        self.drained[side as usize].load(Ordering::Relaxed) == edge.0
    }

    /// A call, begun under `edge`, has got all that there was.
    pub(crate) fn drain(&self, side: Side, edge: Edge) {
        self.drained[side as usize].store(edge.0, Ordering::Relaxed);
    }

    /// A call, begun under `edge`, took less than it asked for: the source is drained,
    /// unless the other side has hung up or the like, of which there is no edge to come.
    pub(crate) fn took_less(&self, side: Side, edge: Edge) {
        if !self.wary.load(Ordering::Relaxed) {
            self.drain(side, edge);
        }
    }

    /// Waits for a side that was found not ready under `edge`. The place is kept in
    /// `place`, and reused from there.
    pub(crate) fn wait(
        &self,
        side: Side,
        edge: Edge,
        place: &mut Option<Place>,
        who: Who,
    ) -> Waited {
        let mut waiters = self.waiters();
        if let Some(fault) = waiters.fault {
            return Waited::Failed(fault);
        }
        if self.edges[side as usize].load(Ordering::Relaxed) != edge.0 {
            return Waited::Try;
        }
        let interest = side.interest();
        let state = State::Waits(who);
        let before = match *place {
            Some(Place(at)) => mem::replace(&mut waiters.all[at], Waiter { interest, state }).state,
            None => {
                let at = waiters.all.insert(Waiter { interest, state });
                *place = Some(Place(at));
                State::Woken(Interest::NOTHING)
            }
        };
        drop(waiters);
        Waited::Waits {
            first: matches!(before, State::Woken(_)),
        }
    }

    /// Waits for what comes from now on. While the source is registered.
    pub(crate) fn join(&self, interest: Interest, who: Who) -> Place {
        let mut waiters = self.waiters();
        debug_assert_eq!(waiters.fault, None, "what has failed is not registered");
        let state = State::Waits(who);
        Place(waiters.all.insert(Waiter { interest, state }))
    }

    /// What has come for one that has joined; if nothing has, `who` waits on. The waker
    /// that is not needed comes back.
    pub(crate) fn check(&self, place: Place, who: Who) -> (Option<Result<Interest, Fault>>, Who) {
        let mut waiters = self.waiters();
        let fault = waiters.fault;
        match &mut waiters.all[place.0].state {
            State::Woken(ready) if !ready.is_nothing() => (Some(Ok(*ready)), who),
            State::Woken(_) => (Some(Err(fault.unwrap_or(Fault::Closed))), who),
            State::Waits(before) => (None, mem::replace(before, who)),
        }
    }

    /// Takes a waiter out.
    pub(crate) fn leave(&self, place: Place) -> Gone {
        let waited = match self.waiters().all.remove(place.0).state {
            State::Waits(who) => Some(who),
            State::Woken(_) => None,
        };
        Gone { waited }
    }

    /// What is waited for.
    pub(crate) fn wanted(&self) -> Interest {
        let waiters = self.waiters();
        let waits = waiters.all.iter();
        waits.fold(Interest::NOTHING, |all, (_, waiter)| match waiter.state {
            State::Waits(_) => all | waiter.interest,
            State::Woken(_) => all,
        })
    }

    /// Whether nobody has a place here.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiters().all.is_empty()
    }

    /// The source is ready: whom to wake.
    pub(crate) fn happen(&self, ready: Interest, more: bool, woken: &mut Vec<Who>) {
        let mut waiters = self.waiters();
        if more {
            self.wary.store(true, Ordering::Relaxed);
        }
        for side in [Side::Read, Side::Write] {
            if ready.contains(side.interest()) {
                // ORDERING: see `edge`.
                let edges = &self.edges[side as usize];
                let next = edges.load(Ordering::Relaxed).wrapping_add(1).max(NEVER + 1);
                edges.store(next, Ordering::Release);
            }
        }
        for (_, waiter) in &mut waiters.all {
            let ready = ready.and(waiter.interest);
            if !ready.is_nothing() {
                waiter.wake(ready, woken);
            }
        }
    }

    /// Nobody waits any more, nor will: whom to wake.
    pub(crate) fn fail(&self, fault: Fault, woken: &mut Vec<Who>) {
        let mut waiters = self.waiters();
        waiters.fault.get_or_insert(fault);
        for (_, waiter) in &mut waiters.all {
            waiter.wake(Interest::NOTHING, woken);
        }
    }
}

impl Waiter {
    fn wake(&mut self, ready: Interest, woken: &mut Vec<Who>) {
        if let State::Waits(_) = self.state
            && let State::Waits(who) = mem::replace(&mut self.state, State::Woken(ready))
        {
            woken.push(who);
        }
    }
}

#[cfg(all(test, uproar_loom))]
#[path = "port/models.rs"]
mod loom_models;

#[cfg(all(test, not(uproar_loom)))]
#[path = "port/tests.rs"]
mod tests;
