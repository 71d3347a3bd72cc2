use std::fmt;
use std::io;
use std::net::{self as std_net, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::Stream;
use futures::stream::FusedStream;
use socket2::{Domain, Protocol, SockRef, Type};

use super::addresses::{ToSocketAddrs, resolve};
use super::socket::{Owned, Socket, Took, Turn};
use super::stream::{is_under_way, option, stream, whole};
use crate::reactor::io::Side;

/// Takes TCP connections.
///
/// # Examples
///
/// An actor for each connection:
///
/// ```
/// use futures::{AsyncReadExt, AsyncWriteExt};
/// use uproar::net::{TcpListener, TcpStream};
/// use uproar::prelude::*;
///
/// async fn echo(mut stream: TcpStream) -> std::io::Result<()> {
///     let mut buffer = [0; 1024];
///     loop {
///         let read = stream.read(&mut buffer).await?;
///         if read == 0 {
///             return Ok(());
///         }
///         stream.write_all(&buffer[..read]).await?;
///     }
/// }
///
/// #[uproar::main]
/// async fn main() -> std::io::Result<()> {
///     let listener = TcpListener::bind("127.0.0.1:0").await?;
///     let address = listener.local_addr()?;
///     spawn(async move {
///         loop {
///             let (stream, _) = listener.accept().await?;
///             spawn(echo(stream));
///         }
///         #[allow(unreachable_code)]
///         std::io::Result::Ok(())
///     });
///     let mut stream = TcpStream::connect(address).await?;
///     stream.write_all(b"hello").await?;
///     let mut hello = [0; 5];
///     stream.read_exact(&mut hello).await?;
///     assert_eq!(&hello, b"hello");
///     Ok(())
/// }
/// ```
pub struct TcpListener {
    socket: Socket<std_net::TcpListener>,
}

impl TcpListener {
    /// Listens at the first of the addresses that can be had. Port zero takes any that is
    /// free; see [`local_addr`](Self::local_addr).
    ///
    /// As std does, on Unix it sets `SO_REUSEADDR`. For other options that have to be set
    /// before, make a socket with `socket2`, and convert that.
    ///
    /// # Cancel safety
    /// Nothing is lost: what has been bound is closed.
    ///
    /// # Errors
    /// Those of the last address, or of the look-up.
    pub async fn bind(address: impl ToSocketAddrs) -> io::Result<TcpListener> {
        let addresses = resolve(address.look_up()).await?;
        std_net::TcpListener::bind(&*addresses)?.try_into()
    }

    /// Takes the next connection: its stream, and who is at the other end.
    ///
    /// Several may wait here at once.
    ///
    /// # Cancel safety
    /// A connection is taken only in the poll that returns it.
    ///
    /// # Errors
    /// Those of the system. Most concern one connection, or pass, such as the lack of
    /// descriptors: a server waits a little and goes on.
    pub async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        let (stream, address) = self.socket.turn(Side::Read).run(|l| l.accept()).await?;
        Ok((stream.try_into()?, address))
    }

    /// The connections as a stream, which does not end.
    pub fn incoming(&self) -> Incoming<'_> {
        Incoming {
            turn: self.socket.turn(Side::Read),
        }
    }

    /// The address that it listens at.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    option!(
        /// Hops that a packet of an accepted connection may take.
        ttl as ttl_v4, set_ttl as set_ttl_v4: u32
    );
    option!(
        /// Whether the address may be bound while connections of a former socket linger.
        reuse_address, set_reuse_address: bool
    );

    /// An error that the socket holds, if any; it is taken.
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.socket.take_error()
    }
}

whole!(TcpListener, std_net::TcpListener);

impl fmt::Debug for TcpListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = self.local_addr().ok();
        f.debug_tuple("TcpListener").field(&address).finish()
    }
}

/// The stream of [`TcpListener::incoming`].
#[must_use = "a stream does nothing until it is polled"]
pub struct Incoming<'a> {
    turn: Turn<std_net::TcpListener, &'a Socket<std_net::TcpListener>>,
}

impl Stream for Incoming<'_> {
    type Item = io::Result<TcpStream>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let accepted = self.turn.poll(cx, |l| l.accept().map(Took::Some));
        accepted.map(|accepted| Some(accepted.and_then(|(stream, _)| stream.try_into())))
    }
}

impl FusedStream for Incoming<'_> {
    fn is_terminated(&self) -> bool {
        false
    }
}

/// A TCP connection. It is read and written through the traits of `futures`:
/// `AsyncReadExt` and `AsyncWriteExt`.
///
/// For two actors, or two futures, one of which reads while the other writes, take it
/// apart with [`into_split`](Self::into_split), or clone it: a clone is another handle of
/// the same connection. The connection is closed with its last handle.
///
/// # Cancel safety
/// A `read` or `write` that is dropped while it waits has moved no bytes. Those that need
/// more than one call, such as `read_exact` and `write_all`, may have moved some. A
/// dropped `read` or `write` can't take its wait back, as the traits are: until the handle
/// is used again or dropped, the next byte wakes the actor once in vain. The methods here
/// that are futures do take it back.
///
/// # Examples
///
/// See [`TcpListener`].
pub struct TcpStream {
    read: Owned<std_net::TcpStream>,
    write: Owned<std_net::TcpStream>,
}

impl TcpStream {
    /// Connects to the first of the addresses that answers; they are tried in order. A
    /// name is looked up without blocking a worker; see [`ToSocketAddrs`].
    ///
    /// # Cancel safety
    /// The attempt is given up.
    ///
    /// # Errors
    /// That of the last address, or of the look-up. To limit the time, use
    /// [`timeout`](crate::timeout()).
    pub async fn connect(address: impl ToSocketAddrs) -> io::Result<TcpStream> {
        let mut last = None;
        for address in resolve(address.look_up()).await? {
            match Self::connect_to(address).await {
                Ok(stream) => return Ok(stream),
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| io::ErrorKind::InvalidInput.into()))
    }

    async fn connect_to(address: SocketAddr) -> io::Result<TcpStream> {
        let socket = socket2::Socket::new(
            Domain::for_address(address),
            Type::STREAM,
            Some(Protocol::TCP),
        )?;
        socket.set_nonblocking(true)?;
        let begun = socket.connect(&address.into());
        let stream = TcpStream::of(socket.into());
        match begun {
            Ok(()) => return Ok(stream),
            Err(error) if is_under_way(&error) => {}
            Err(error) => return Err(error),
        }
        let connected = |stream: &std_net::TcpStream| match stream.take_error()? {
            Some(error) => Err(error),
            None => match stream.peer_addr() {
                Err(error) if error.kind() == io::ErrorKind::NotConnected => {
                    Err(io::ErrorKind::WouldBlock.into())
                }
                other => other,
            },
        };
        stream.socket().turn(Side::Write).run(connected).await?;
        Ok(stream)
    }

    /// Reads what is there, and leaves it there. Waits until something is; none is the end.
    ///
    /// # Cancel safety
    /// Dropping it takes the wait back.
    pub async fn peek(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.socket()
            .turn(Side::Read)
            .run(|io| io.peek(buffer))
            .await
    }

    option!(
        /// Whether small writes are sent at once, without waiting for more (`TCP_NODELAY`).
        nodelay as tcp_nodelay, set_nodelay as set_tcp_nodelay: bool
    );
    option!(
        /// Hops that a packet may take.
        ttl as ttl_v4, set_ttl as set_ttl_v4: u32
    );
    option!(
        /// How long a close waits for what has not been sent.
        linger, set_linger: Option<Duration>
    );
    option!(
        /// Bytes that the system keeps for reading.
        recv_buffer_size, set_recv_buffer_size: usize
    );
    option!(
        /// Bytes that the system keeps for sending.
        send_buffer_size, set_send_buffer_size: usize
    );

    /// Whether the system probes a connection on which nothing comes.
    pub fn keepalive(&self) -> io::Result<bool> {
        SockRef::from(self.inner()).keepalive()
    }

    /// After how long without traffic the system probes the connection; `None` never.
    pub fn set_keepalive(&self, idle: Option<Duration>) -> io::Result<()> {
        let socket = SockRef::from(self.inner());
        match idle {
            Some(idle) => socket.set_tcp_keepalive(&socket2::TcpKeepalive::new().with_time(idle)),
            None => socket.set_keepalive(false),
        }
    }
}

stream!(
    TcpStream,
    std_net::TcpStream,
    SocketAddr,
    ReadHalf,
    WriteHalf
);
