//! A socket that is tried first, and waited for when it would block.

use std::io;
use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll};

use crate::actor::Source;
use crate::process::State;
use crate::reactor::io::{Edge, Place, Port, Raw, Side, Waited, Who};
use crate::reactor::with_reactor;
use crate::scheduler::context;

/// A socket in non-blocking mode. It is registered when somebody first has to wait for it,
/// in the runtime of whoever that is, and until it is closed.
#[derive(Debug)]
pub(super) struct Socket<T> {
    /// Goes before `io` is closed. [I2]
    registration: OnceLock<Registration>,
    registering: Mutex<()>,
    io: T,
}

#[derive(Debug)]
struct Registration {
    runtime: u32,
    raw: Raw,
    port: Arc<Port>,
}

impl Drop for Registration {
    fn drop(&mut self) {
        with_reactor(self.runtime, |reactor| {
            if let Some(reactor) = reactor {
                reactor.io.deregister(self.raw, &self.port);
            }
        });
    }
}

impl<T> Deref for Socket<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.io
    }
}

impl<T: Source> Socket<T> {
    /// `io` is in non-blocking mode.
    pub(super) fn new(io: T) -> Socket<T> {
        Socket {
            registration: OnceLock::new(),
            registering: Mutex::default(),
            io,
        }
    }

    /// The std type.
    pub(super) fn into_inner(self) -> T {
        drop(self.registration);
        self.io
    }

    /// One side of it, for one wait.
    pub(super) fn turn(&self, side: Side) -> Turn<T, &Socket<T>> {
        Turn::new(self, side)
    }

    /// Registers it, if nobody has. What becomes ready from now on is an edge.
    #[cold]
    fn register(&self) -> io::Result<()> {
        let Some((scheduler, _)) = context::here() else {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "uproar: a socket was waited for outside an actor; use std's type or \
                 `async_io::Async` there, which it can be turned into",
            ));
        };
        let _registering = self
            .registering
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if self.registration.get().is_none() {
            let raw = self.io.raw().0;
            let registration = Registration {
                runtime: scheduler.reactor.runtime,
                raw,
                port: scheduler.reactor.io.register(raw)?,
            };
            let _ = self.registration.set(registration);
        }
        Ok(())
    }
}

impl Registration {
    /// Waits for the socket, which was found not ready under `edge`.
    fn wait(
        &self,
        side: Side,
        edge: Edge,
        place: &mut Option<Place>,
        cx: &mut Context<'_>,
    ) -> io::Result<Waited> {
        let who = Who::of(cx.waker());
        with_reactor(self.runtime, |reactor| {
            let Some(reactor) = reactor else {
                return Ok(self.port.wait(side, edge, place, who));
            };
            // Counted before: it may be over before this call is.
            reactor.io.begin_wait();
            let waited = self.port.wait(side, edge, place, who);
            match waited {
                Waited::Waits { first: true } => {
                    reactor.io.rearm(self.raw, &self.port)?;
                    reactor.wait_begun();
                }
                _ => reactor.io.end_waits(1),
            }
            Ok(waited)
        })
    }

    fn leave(&self, place: Place) {
        let gone = self.port.leave(place);
        if gone.waited.is_some() {
            with_reactor(self.runtime, |reactor| {
                if let Some(reactor) = reactor {
                    reactor.io.end_waits(1);
                }
            });
        }
    }
}

/// One side of a socket, for one user at a time: who waits there, waits in this place.
/// Dropping it leaves nothing behind.
pub(super) struct Turn<T, P: Deref<Target = Socket<T>>> {
    socket: P,
    side: Side,
    place: Option<Place>,
}

/// One that owns its part of the socket.
pub(super) type Owned<T> = Turn<T, Arc<Socket<T>>>;

/// How a call tells whether there is more.
pub(super) enum Took<R> {
    /// There may be.
    Some(R),
    /// Less than was asked for: there was no more.
    Less(R),
}

impl<R> Took<R> {
    /// Of a stream: how many bytes of a buffer of that length were moved.
    pub(super) fn part(moved: usize, length: usize) -> Took<usize> {
        // Nothing at all is the end of a stream, of which there is no edge to come.
        if 0 < moved && moved < length {
            Took::Less(moved)
        } else {
            Took::Some(moved)
        }
    }
}

impl<T, P: Deref<Target = Socket<T>>> Turn<T, P> {
    pub(super) fn new(socket: P, side: Side) -> Self {
        Turn {
            socket,
            side,
            place: None,
        }
    }

    pub(super) fn socket(&self) -> &P {
        &self.socket
    }

    /// Leaves the place, if it has one.
    fn rest(&mut self) {
        if let Some(place) = self.place.take()
            && let Some(registration) = self.socket.registration.get()
        {
            registration.leave(place);
        }
    }
}

impl<T: Source, P: Deref<Target = Socket<T>>> Turn<T, P> {
    /// Tries a call, and waits when it would block.
    pub(super) fn poll<R>(
        &mut self,
        cx: &mut Context<'_>,
        mut call: impl FnMut(&T) -> io::Result<Took<R>>,
    ) -> Poll<io::Result<R>> {
        // A socket that is always ready lets others run as well.
        if !context::spend(1) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let result = loop {
            let registration = self.socket.registration.get();
            let edge = registration.map_or(Edge::FIRST, |it| it.port.edge(self.side));
            let drained = registration.is_some_and(|it| it.port.is_drained(self.side, edge));
            if !drained {
                match call(&self.socket.io) {
                    Ok(Took::Some(result)) => break Ok(result),
                    Ok(Took::Less(result)) => {
                        if let Some(registration) = registration {
                            registration.port.took_less(self.side, edge);
                        }
                        break Ok(result);
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        if let Some(registration) = registration {
                            registration.port.drain(self.side, edge);
                        }
                    }
                    Err(error) => break Err(error),
                }
            }
            let Some(registration) = registration else {
                // If it is ready by now, that is an edge.
                match self.socket.register() {
                    Ok(()) => {}
                    Err(error) => break Err(error),
                }
                continue;
            };
            match registration.wait(self.side, edge, &mut self.place, cx) {
                Ok(Waited::Waits { .. }) => {
                    context::set_waits_for(State::WaitingIo);
                    return Poll::Pending;
                }
                Ok(Waited::Try) => {}
                Ok(Waited::Failed(fault)) => break Err(fault.into()),
                Err(error) => break Err(error),
            }
        };
        self.rest();
        Poll::Ready(result)
    }

    /// Waits for an edge after a call that would have blocked, or until there may be one.
    pub(super) async fn run<R>(
        mut self,
        mut call: impl FnMut(&T) -> io::Result<R>,
    ) -> io::Result<R> {
        std::future::poll_fn(|cx| self.poll(cx, |io| call(io).map(Took::Some))).await
    }
}

impl<T, P: Deref<Target = Socket<T>>> Drop for Turn<T, P> {
    fn drop(&mut self) {
        self.rest();
    }
}
