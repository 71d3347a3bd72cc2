use std::fmt;
use std::io;
use std::os::unix::net as std_net;
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::Stream;
use futures::stream::FusedStream;
use socket2::{Domain, SockAddr, Type};

use super::socket::{Owned, Socket, Took, Turn};
use super::stream::{is_under_way, option, stream, whole};
use crate::reactor::io::Side;

/// The address of a Unix socket: that of std.
pub type UnixAddr = std_net::SocketAddr;

/// Takes connections at a Unix socket. On Unix only.
///
/// The file stays when the listener is gone; a path at which there is one can't be bound
/// again before it is removed.
///
/// # Examples
///
/// ```
/// use futures::{AsyncReadExt, AsyncWriteExt};
/// use uproar::net::{UnixListener, UnixStream};
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() -> std::io::Result<()> {
///     let path = std::env::temp_dir().join(format!("uproar-doc-{}", std::process::id()));
///     let listener = UnixListener::bind(&path)?;
///     let (mut client, server) = futures::join!(UnixStream::connect(&path), async {
///         std::io::Result::Ok(listener.accept().await?.0)
///     });
///     std::fs::remove_file(&path)?;
///     client.as_mut().unwrap().write_all(b"hello").await?;
///     let mut hello = [0; 5];
///     server?.read_exact(&mut hello).await?;
///     assert_eq!(&hello, b"hello");
///     Ok(())
/// }
/// ```
pub struct UnixListener {
    socket: Socket<std_net::UnixListener>,
}

impl UnixListener {
    /// Listens at a path.
    pub fn bind(path: impl AsRef<Path>) -> io::Result<UnixListener> {
        std_net::UnixListener::bind(path)?.try_into()
    }

    /// Listens at an address, which need not be a path.
    pub fn bind_addr(address: &UnixAddr) -> io::Result<UnixListener> {
        std_net::UnixListener::bind_addr(address)?.try_into()
    }

    /// Takes the next connection: its stream, and who is at the other end.
    ///
    /// # Cancel safety
    /// A connection is taken only in the poll that returns it.
    pub async fn accept(&self) -> io::Result<(UnixStream, UnixAddr)> {
        let turn = self.socket.turn(Side::Read);
        let (stream, address) = turn.run(|listener| listener.accept()).await?;
        Ok((stream.try_into()?, address))
    }

    /// The connections as a stream, which does not end.
    pub fn incoming(&self) -> UnixIncoming<'_> {
        UnixIncoming {
            turn: self.socket.turn(Side::Read),
        }
    }

    /// The address that it listens at.
    pub fn local_addr(&self) -> io::Result<UnixAddr> {
        self.socket.local_addr()
    }

    /// An error that the socket holds, if any; it is taken.
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.socket.take_error()
    }
}

whole!(UnixListener, std_net::UnixListener);

impl fmt::Debug for UnixListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = self.local_addr().ok();
        f.debug_tuple("UnixListener").field(&address).finish()
    }
}

/// The stream of [`UnixListener::incoming`].
#[must_use = "a stream does nothing until it is polled"]
pub struct UnixIncoming<'a> {
    turn: Turn<std_net::UnixListener, &'a Socket<std_net::UnixListener>>,
}

impl Stream for UnixIncoming<'_> {
    type Item = io::Result<UnixStream>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let accepted = self.turn.poll(cx, |l| l.accept().map(Took::Some));
        accepted.map(|accepted| Some(accepted.and_then(|(stream, _)| stream.try_into())))
    }
}

impl FusedStream for UnixIncoming<'_> {
    fn is_terminated(&self) -> bool {
        false
    }
}

/// A connection over a Unix socket. On Unix only. As a [`TcpStream`](super::TcpStream) in
/// all that is said there.
///
/// # Examples
///
/// ```
/// use futures::{AsyncReadExt, AsyncWriteExt};
/// use uproar::net::UnixStream;
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() -> std::io::Result<()> {
///     let (mut here, there) = UnixStream::pair()?;
///     let (_, mut write) = there.into_split();
///     spawn(async move { write.write_all(b"hello").await });
///     let mut all = String::new();
///     here.read_to_string(&mut all).await?;               // ends as `write` is dropped
///     assert_eq!(all, "hello");
///     Ok(())
/// }
/// ```
pub struct UnixStream {
    read: Owned<std_net::UnixStream>,
    write: Owned<std_net::UnixStream>,
}

/// When a listener has no room for another, the system has no way to wait for that; so it
/// is asked again after so long.
const RETRY: Duration = Duration::from_millis(1);

impl UnixStream {
    /// Connects to a listener at a path. Waits for room in its line.
    ///
    /// # Cancel safety
    /// The attempt is given up.
    pub async fn connect(path: impl AsRef<Path>) -> io::Result<UnixStream> {
        let address = SockAddr::unix(path)?;
        loop {
            let socket = socket2::Socket::new(Domain::UNIX, Type::STREAM, None)?;
            socket.set_nonblocking(true)?;
            match socket.connect(&address) {
                Ok(()) => return Ok(UnixStream::of(socket.into())),
                Err(error) if is_under_way(&error) => crate::sleep(RETRY).await,
                Err(error) => return Err(error),
            }
        }
    }

    /// Two that are connected to each other.
    pub fn pair() -> io::Result<(UnixStream, UnixStream)> {
        let (one, other) = std_net::UnixStream::pair()?;
        Ok((one.try_into()?, other.try_into()?))
    }

    option!(
        /// Bytes that the system keeps for reading.
        recv_buffer_size, set_recv_buffer_size: usize
    );
    option!(
        /// Bytes that the system keeps for sending.
        send_buffer_size, set_send_buffer_size: usize
    );
}

stream!(
    UnixStream,
    std_net::UnixStream,
    UnixAddr,
    UnixReadHalf,
    UnixWriteHalf
);
