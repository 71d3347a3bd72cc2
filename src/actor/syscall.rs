use std::future::Future;
use std::io;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::process;
use crate::reactor::io::{Place, Port, Raw, Who};
use crate::reactor::{Alarm, Interest, with_reactor};
use crate::scheduler::context;

#[cfg(unix)]
use std::os::fd::{AsFd, AsRawFd};
#[cfg(windows)]
use std::os::windows::io::{AsRawSocket, AsSocket};

/// What [`syscall`] can wait for: whatever has a descriptor, or on Windows a socket.
///
/// That it has one does not mean that it can be polled; see there.
#[cfg(unix)]
pub trait Source: AsFd {
    #[doc(hidden)]
    fn raw(&self) -> RawSource {
        RawSource(self.as_fd().as_raw_fd())
    }
}

#[cfg(unix)]
impl<S: AsFd + ?Sized> Source for S {}

/// What [`syscall`] can wait for: whatever has a descriptor, or on Windows a socket.
#[cfg(windows)]
pub trait Source: AsSocket {
    #[doc(hidden)]
    fn raw(&self) -> RawSource {
        RawSource(self.as_socket().as_raw_socket())
    }
}

#[cfg(windows)]
impl<S: AsSocket + ?Sized> Source for S {}

#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct RawSource(pub(crate) Raw);

/// Waits until a source is ready, and says for what: any file descriptor that the system
/// can poll, such as a socket, a pipe, a terminal, an eventfd.
///
/// This is the way to what [`net`](crate::net) has no type for. Try the call first, with
/// the source in non-blocking mode; when it says `WouldBlock`, wait here, and try again.
/// Being ready is a hint: another that waits for the same source may have been faster. A
/// hang-up or an error counts as ready for whatever is waited for; the call that follows
/// says which.
///
/// Any number of actors, and of futures of one actor, may wait for one source, in both
/// directions. Nothing stays registered when nobody waits. The source is borrowed, so it
/// is not closed meanwhile.
///
/// # Cancel safety
/// Dropping it takes the wait back, before this returns.
///
/// # Errors
/// * `Unsupported`: the source can't be polled. Regular files and directories are
///   such: they are always ready. Read and write them as they are, on a thread if that
///   may take long.
/// * `TimedOut`: see [`timeout`](Syscall::timeout).
/// * What the system says of a descriptor that is not open, or when it has no room to
///   watch another.
///
/// # Panics
/// When polled outside an actor.
///
/// Source: R61, R63.
///
/// # Examples
///
/// ```
/// # #[cfg(unix)]
/// # fn main() -> std::io::Result<()> {
/// use std::io::{ErrorKind, Read, Write};
/// use std::os::unix::net::UnixStream;
/// use uproar::prelude::*;
///
/// let (mut here, mut there) = UnixStream::pair()?;
/// here.set_nonblocking(true)?;
///
/// let reason = uproar::run(async move {
///     spawn(async move { there.write_all(b"hello") });
///     let mut buffer = [0; 16];
///     let read = loop {
///         match here.read(&mut buffer) {
///             Err(error) if error.kind() == ErrorKind::WouldBlock => {
///                 syscall(&here, Interest::READABLE).await?;
///             }
///             result => break result?,
///         }
///     };
///     assert_eq!(&buffer[..read], b"hello");
///     std::io::Result::Ok(())
/// });
/// assert_eq!(reason, ExitReason::Normal);
/// # Ok(())
/// # }
/// # #[cfg(not(unix))]
/// # fn main() {}
/// ```
pub fn syscall<S: Source + ?Sized>(source: &S, interest: Interest) -> Syscall<'_> {
    Syscall {
        raw: source.raw().0,
        interest,
        state: State::New,
        limit: None,
        source: PhantomData,
    }
}

/// The future of [`syscall`].
#[must_use = "a syscall does nothing until it is awaited"]
pub struct Syscall<'a> {
    raw: Raw,
    interest: Interest,
    state: State,
    limit: Option<Alarm>,
    /// The source stays open.
    source: PhantomData<&'a ()>,
}

enum State {
    New,
    Waits {
        runtime: u32,
        port: Arc<Port>,
        place: Place,
    },
}

impl Syscall<'_> {
    /// Limits the wait, counted from this call: the error `TimedOut`.
    ///
    /// When the source is ready by the time that this is noticed, that wins.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::net::UdpSocket;
    /// use uproar::prelude::*;
    ///
    /// #[uproar::main]
    /// async fn main() -> std::io::Result<()> {
    ///     let silent = UdpSocket::bind("127.0.0.1:0")?;
    ///     let wait = syscall(&silent, Interest::READABLE).timeout(Duration::from_millis(5));
    ///     let error = wait.await.unwrap_err();
    ///     assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
    ///     Ok(())
    /// }
    /// ```
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.limit = Some(Alarm::after(limit));
        self
    }

    fn leave(&mut self) {
        let State::Waits {
            runtime,
            port,
            place,
        } = std::mem::replace(&mut self.state, State::New)
        else {
            return;
        };
        with_reactor(runtime, |reactor| match reactor {
            Some(reactor) => reactor.io.unwatch(self.raw, &port, place),
            None => drop(port.leave(place)),
        });
    }

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Interest>> {
        let who = Who::of(cx.waker());
        match &self.state {
            State::Waits { port, place, .. } => {
                let (result, unused) = port.check(*place, who);
                drop(unused);
                match result {
                    Some(result) => Poll::Ready(result.map_err(io::Error::from)),
                    None => Poll::Pending,
                }
            }
            State::New => {
                let Some((scheduler, _)) = context::here() else {
                    return Poll::Ready(Err(io::ErrorKind::Unsupported.into()));
                };
                let reactor = &scheduler.reactor;
                let watched = reactor.io.watch(self.raw, self.interest, who);
                let (port, place) = watched.map_err(unpollable)?;
                self.state = State::Waits {
                    runtime: reactor.runtime,
                    port,
                    place,
                };
                reactor.wait_begun();
                Poll::Pending
            }
        }
    }
}

/// Says what to do about a source that the poller does not take.
fn unpollable(error: io::Error) -> io::Error {
    if error.kind() != io::ErrorKind::PermissionDenied {
        return error;
    }
    io::Error::new(
        io::ErrorKind::Unsupported,
        "uproar: this source can't be polled, as a regular file or a directory can't: it is \
         always ready; use it without `syscall`, on a thread of its own if that takes long",
    )
}

impl Future for Syscall<'_> {
    type Output = io::Result<Interest>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        context::current("syscall", "`async_io::Async`, or a call that blocks,");
        if !context::spend(1) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let this = &mut *self;
        let mut result = this.poll_ready(cx);
        if result.is_pending()
            && let Some(limit) = &mut this.limit
            && limit.poll(cx).is_ready()
        {
            result = Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let Poll::Ready(result) = result else {
            context::set_waits_for(process::State::WaitingIo);
            return Poll::Pending;
        };
        this.leave();
        Poll::Ready(result)
    }
}

impl Drop for Syscall<'_> {
    fn drop(&mut self) {
        self.leave();
    }
}
