//! Sockets for actors: TCP, UDP and, on Unix, Unix sockets.
//!
//! Streams have the traits of `futures`, `AsyncRead` and `AsyncWrite`, whose methods come
//! with `AsyncReadExt` and `AsyncWriteExt`. See [`TcpListener`] for a server with an actor for
//! each connection, [`guide::io`](crate::guide::io) for how to go about it, and
//! [`syscall`](crate::syscall()) for what is no socket.
//!
//! A call is tried first, and waits only when it would block. It takes a reduction, so a
//! socket that is always ready starves nobody. Sockets are in non-blocking mode and
//! close-on-exec. They are converted from and into those of std; for options that have to
//! be set before a `bind` or `connect`, make one with `socket2`, and convert it.
//!
//! A socket belongs to the runtime in which it was first waited for, and works in others
//! while that lives. Outside of actors a call that would have to wait is an error of kind
//! `Unsupported`.
//!
//! # Measured
//!
//! MEASURED
mod addresses;
mod socket;
mod stream;
mod tcp;
mod udp;
#[cfg(unix)]
mod unix;

pub use addresses::ToSocketAddrs;
pub use tcp::{Incoming, ReadHalf, TcpListener, TcpStream, WriteHalf};
pub use udp::UdpSocket;
#[cfg(unix)]
pub use unix::{UnixAddr, UnixIncoming, UnixListener, UnixReadHalf, UnixStream, UnixWriteHalf};
