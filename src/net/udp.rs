use std::fmt;
use std::io;
use std::net::{self as std_net, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::addresses::{ToSocketAddrs, resolve};
use super::socket::Socket;
use super::stream::{option, ready, whole};
use crate::Interest;
use crate::reactor::io::Side;

/// A UDP socket: datagrams, each for itself, that may be lost.
///
/// Any number of actors may send and receive through one, say in an `Arc`.
///
/// # Examples
///
/// ```
/// use uproar::net::UdpSocket;
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() -> std::io::Result<()> {
///     let one = UdpSocket::bind("127.0.0.1:0").await?;
///     let other = UdpSocket::bind("127.0.0.1:0").await?;
///     one.send_to(b"hello", other.local_addr()?).await?;
///     let mut buffer = [0; 64];
///     let (length, from) = other.recv_from(&mut buffer).await?;
///     assert_eq!((&buffer[..length], from), (&b"hello"[..], one.local_addr()?));
///     Ok(())
/// }
/// ```
pub struct UdpSocket {
    socket: Socket<std_net::UdpSocket>,
}

impl UdpSocket {
    /// Makes a socket at the first of the addresses that can be had. Port zero takes any
    /// that is free.
    ///
    /// # Errors
    /// Those of the last address, or of the look-up.
    pub async fn bind(address: impl ToSocketAddrs) -> io::Result<UdpSocket> {
        let addresses = resolve(address.look_up()).await?;
        std_net::UdpSocket::bind(&*addresses)?.try_into()
    }

    /// Sets whom [`send`](Self::send) sends to and [`recv`](Self::recv) receives from:
    /// the first of the addresses that is possible.
    pub async fn connect(&self, address: impl ToSocketAddrs) -> io::Result<()> {
        let addresses = resolve(address.look_up()).await?;
        self.socket.connect(&*addresses)
    }

    /// Sends a datagram to the first of the addresses. Waits for room.
    ///
    /// # Cancel safety
    /// When it is dropped while it waits, nothing has been sent.
    pub async fn send_to(&self, bytes: &[u8], to: impl ToSocketAddrs) -> io::Result<usize> {
        let to = resolve(to.look_up()).await?[0];
        let turn = self.socket.turn(Side::Write);
        turn.run(|socket| socket.send_to(bytes, to)).await
    }

    /// Receives a datagram: its length, and whom it is from. What the buffer has no room
    /// for is lost.
    ///
    /// # Cancel safety
    /// A datagram is taken only in the poll that returns it.
    pub async fn recv_from(&self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        let turn = self.socket.turn(Side::Read);
        turn.run(|socket| socket.recv_from(buffer)).await
    }

    /// [`recv_from`](Self::recv_from), and leaves the datagram there.
    pub async fn peek_from(&self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        let turn = self.socket.turn(Side::Read);
        turn.run(|socket| socket.peek_from(buffer)).await
    }

    /// Sends a datagram to whom the socket is [`connect`](Self::connect)ed to.
    ///
    /// # Cancel safety
    /// As for [`send_to`](Self::send_to).
    pub async fn send(&self, bytes: &[u8]) -> io::Result<usize> {
        let turn = self.socket.turn(Side::Write);
        turn.run(|socket| socket.send(bytes)).await
    }

    /// Receives a datagram from whom the socket is [`connect`](Self::connect)ed to, or
    /// else from anybody.
    ///
    /// # Cancel safety
    /// As for [`recv_from`](Self::recv_from).
    pub async fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let turn = self.socket.turn(Side::Read);
        turn.run(|socket| socket.recv(buffer)).await
    }

    /// Waits until a datagram is there. A hint: another may be faster.
    ///
    /// # Cancel safety
    /// Dropping it takes the wait back.
    pub async fn readable(&self) -> io::Result<()> {
        ready(&self.socket, Interest::READABLE).await
    }

    /// Waits until there is room for a datagram. A hint: another may be faster.
    ///
    /// # Cancel safety
    /// Dropping it takes the wait back.
    pub async fn writable(&self) -> io::Result<()> {
        ready(&self.socket, Interest::WRITABLE).await
    }

    /// The address of this end.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Whom it is connected to.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.socket.peer_addr()
    }

    option!(
        /// Whether it may send to broadcast addresses.
        broadcast, set_broadcast: bool
    );
    option!(
        /// Hops that a datagram may take.
        ttl as ttl_v4, set_ttl as set_ttl_v4: u32
    );
    option!(
        /// Whether others may bind the address as well. Of use before a bind: make a socket
        /// with `socket2` for that, and convert it.
        reuse_address, set_reuse_address: bool
    );
    option!(
        /// Bytes that the system keeps for receiving.
        recv_buffer_size, set_recv_buffer_size: usize
    );
    option!(
        /// Bytes that the system keeps for sending.
        send_buffer_size, set_send_buffer_size: usize
    );

    /// Joins a multicast group on the interface that has this address.
    pub fn join_multicast_v4(&self, group: Ipv4Addr, interface: Ipv4Addr) -> io::Result<()> {
        self.socket.join_multicast_v4(&group, &interface)
    }

    /// Leaves a multicast group.
    pub fn leave_multicast_v4(&self, group: Ipv4Addr, interface: Ipv4Addr) -> io::Result<()> {
        self.socket.leave_multicast_v4(&group, &interface)
    }

    /// Joins a multicast group on the interface that has this number; zero is any.
    pub fn join_multicast_v6(&self, group: &Ipv6Addr, interface: u32) -> io::Result<()> {
        self.socket.join_multicast_v6(group, interface)
    }

    /// Leaves a multicast group.
    pub fn leave_multicast_v6(&self, group: &Ipv6Addr, interface: u32) -> io::Result<()> {
        self.socket.leave_multicast_v6(group, interface)
    }

    /// An error that the socket holds, if any; it is taken.
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.socket.take_error()
    }
}

whole!(UdpSocket, std_net::UdpSocket);

impl fmt::Debug for UdpSocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = self.local_addr().ok();
        f.debug_tuple("UdpSocket").field(&address).finish()
    }
}
