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
//! An echo of 64 bytes over the loopback, server and clients in one program on two workers and
//! two cores with nothing else to do: round trips per second, and the 99th percentile of
//! one; the median of three runs of `benches/peers`, workload `echo`.
//!
//! | connections | uproar | tokio | async-io on smol's executor |
//! |--:|--:|--:|--:|
//! | 1 | 79,500; 17 µs | 80,700; 15 µs | 22,800; 98 µs |
//! | 100 | 167,500; 1.4 ms | 161,800; 1.0 ms | 129,400; 1.1 ms |
//! | 1,000 | 143,900; 9.9 ms | 150,400; 29.8 ms | 111,000; 13.3 ms |
//!
//! With one connection the median is 12 µs here and with tokio. With 1,000 all take turns here;
//! serving those first that are in the cache would be faster for half of them, and make the
//! others wait: before what has come was run in its order, the 99th percentile was 47 ms.
//!
//! Three ways to wait have been measured: (a) sockets of async-io, whose own thread polls; (b)
//! the reactor's thread polls, and wakes workers; (c) an idle worker polls instead of sleeping,
//! which is what there is. On a slower day, by connection count, round trips per second, and CPU time of one:
//!
//! | connections | (a) | (b) | (c) |
//! |--:|--:|--:|--:|
//! | 1 | 24,000; 58 µs | 24,000; 58 µs | 74,000; 13 µs |
//! | 100 | 74,000; 22 µs | 111,000; 17 µs | 161,000; 12 µs |
//! | 1,000 | 79,000; 25 µs | 88,000; 22 µs | 125,000; 15 µs |
//!
//! A round trip over one connection takes two sends, three receives, of which one finds
//! nothing, and two waits in (c), as with tokio; (b) takes five futex calls more, and (a)
//! 26 calls in all. A wake-up from another thread costs what the median of one connection shows: 12 µs a
//! round trip in (c), 35 in (b), 37 in (a).
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
