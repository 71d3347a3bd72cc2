//! Sockets for actors: TCP, UDP and, on Unix, Unix sockets.
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
