//! What TCP and Unix sockets have in common, written once.

/// An option of a socket: the method that reads it and the one that sets it.
macro_rules! option {
    ($(#[$doc:meta])* $get:ident, $set:ident: $kind:ty) => {
        $(#[$doc])*
        pub fn $get(&self) -> std::io::Result<$kind> {
            socket2::SockRef::from(self.inner()).$get()
        }

        /// Sets what the method before tells.
        pub fn $set(&self, value: $kind) -> std::io::Result<()> {
            socket2::SockRef::from(self.inner()).$set(value)
        }
    };
    ($(#[$doc:meta])* $get:ident as $other:ident, $set:ident as $other_set:ident: $kind:ty) => {
        $(#[$doc])*
        pub fn $get(&self) -> std::io::Result<$kind> {
            socket2::SockRef::from(self.inner()).$other()
        }

        /// Sets what the method before tells.
        pub fn $set(&self, value: $kind) -> std::io::Result<()> {
            socket2::SockRef::from(self.inner()).$other_set(value)
        }
    };
}

/// A socket that is not taken apart: conversions and its descriptor.
macro_rules! whole {
    ($ours:ident, $std:ty) => {
        impl $ours {
            fn inner(&self) -> &$std {
                &self.socket
            }
        }

        /// Takes over a socket of std, and sets it to non-blocking mode.
        impl TryFrom<$std> for $ours {
            type Error = std::io::Error;

            fn try_from(inner: $std) -> std::io::Result<$ours> {
                inner.set_nonblocking(true)?;
                Ok($ours {
                    socket: $crate::net::socket::Socket::new(inner),
                })
            }
        }

        /// Gives the socket back to std, in blocking mode.
        impl TryFrom<$ours> for $std {
            type Error = std::io::Error;

            fn try_from(ours: $ours) -> std::io::Result<$std> {
                let inner = ours.socket.into_inner();
                inner.set_nonblocking(false)?;
                Ok(inner)
            }
        }

        $crate::net::stream::descriptor!($ours);
    };
}

/// The descriptor of a socket.
macro_rules! descriptor {
    ($ours:ident) => {
        #[cfg(unix)]
        impl std::os::fd::AsFd for $ours {
            fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
                self.inner().as_fd()
            }
        }

        #[cfg(unix)]
        impl std::os::fd::AsRawFd for $ours {
            fn as_raw_fd(&self) -> std::os::fd::RawFd {
                self.inner().as_raw_fd()
            }
        }

        #[cfg(windows)]
        impl std::os::windows::io::AsSocket for $ours {
            fn as_socket(&self) -> std::os::windows::io::BorrowedSocket<'_> {
                self.inner().as_socket()
            }
        }

        #[cfg(windows)]
        impl std::os::windows::io::AsRawSocket for $ours {
            fn as_raw_socket(&self) -> std::os::windows::io::RawSocket {
                self.inner().as_raw_socket()
            }
        }
    };
}

/// A stream of bytes, `$ours` of two turns `read` and `write`, and its halves.
macro_rules! stream {
    ($ours:ident, $std:ty, $address:ty, $read_half:ident, $write_half:ident) => {
        impl $ours {
            /// Of a stream in non-blocking mode.
            fn of(stream: $std) -> $ours {
                let socket = std::sync::Arc::new($crate::net::socket::Socket::new(stream));
                $ours {
                    read: Turn::new(std::sync::Arc::clone(&socket), Side::Read),
                    write: Turn::new(socket, Side::Write),
                }
            }

            fn socket(&self) -> &Socket<$std> {
                self.read.socket()
            }

            fn inner(&self) -> &$std {
                self.socket()
            }

            fn turn(&mut self) -> &mut Owned<$std> {
                &mut self.write
            }

            /// Takes it apart into what reads and what writes, for two actors, say.
            ///
            /// Dropping the second ends the direction: the other side reads the end. To put
            /// them together again, use `reunite`.
            pub fn into_split(self) -> ($read_half, $write_half) {
                let write = $write_half {
                    write: Some(self.write),
                };
                ($read_half { read: self.read }, write)
            }

            /// Waits until something can be read, or the other side has hung up or failed. A
            /// hint: another handle may be faster.
            ///
            /// # Cancel safety
            /// Dropping it takes the wait back.
            pub async fn readable(&self) -> std::io::Result<()> {
                $crate::net::stream::ready(self.socket(), $crate::Interest::READABLE).await
            }

            /// Waits until something can be written, or the other side has hung up or failed.
            /// A hint: another handle may be faster.
            ///
            /// # Cancel safety
            /// Dropping it takes the wait back.
            pub async fn writable(&self) -> std::io::Result<()> {
                $crate::net::stream::ready(self.socket(), $crate::Interest::WRITABLE).await
            }

            /// Ends one direction, or both, for all handles. What has been written before is
            /// still sent.
            pub fn shutdown(&self, how: std::net::Shutdown) -> std::io::Result<()> {
                self.inner().shutdown(how)
            }

            /// The address of the other end.
            pub fn peer_addr(&self) -> std::io::Result<$address> {
                self.inner().peer_addr()
            }

            /// The address of this end.
            pub fn local_addr(&self) -> std::io::Result<$address> {
                self.inner().local_addr()
            }

            /// An error that the socket holds, if any; it is taken.
            pub fn take_error(&self) -> std::io::Result<Option<std::io::Error>> {
                self.inner().take_error()
            }
        }

        /// Another handle of the same connection.
        impl Clone for $ours {
            fn clone(&self) -> $ours {
                $ours {
                    read: Turn::new(std::sync::Arc::clone(self.read.socket()), Side::Read),
                    write: Turn::new(std::sync::Arc::clone(self.write.socket()), Side::Write),
                }
            }
        }

        impl std::fmt::Debug for $ours {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($ours))
                    .field("local", &self.local_addr().ok())
                    .field("peer", &self.peer_addr().ok())
                    .finish()
            }
        }

        $crate::net::stream::descriptor!($ours);
        $crate::net::stream::reads!($ours);
        $crate::net::stream::writes!($ours);

        /// Takes over a stream of std, and sets it to non-blocking mode.
        impl TryFrom<$std> for $ours {
            type Error = std::io::Error;

            fn try_from(inner: $std) -> std::io::Result<$ours> {
                inner.set_nonblocking(true)?;
                Ok($ours::of(inner))
            }
        }

        /// Gives the stream back to std, in blocking mode. While there are other handles, it
        /// is a duplicate, and they block as well: let go of them before.
        impl TryFrom<$ours> for $std {
            type Error = std::io::Error;

            fn try_from(ours: $ours) -> std::io::Result<$std> {
                let socket = std::sync::Arc::clone(ours.read.socket());
                drop(ours);
                let inner = match std::sync::Arc::try_unwrap(socket) {
                    Ok(socket) => socket.into_inner(),
                    Err(socket) => socket.try_clone()?,
                };
                inner.set_nonblocking(false)?;
                Ok(inner)
            }
        }

        #[doc = concat!("What reads of a [`", stringify!($ours), "`]. From `into_split`.")]
        pub struct $read_half {
            read: Owned<$std>,
        }

        #[doc = concat!("What writes of a [`", stringify!($ours), "`]. From `into_split`.")]
        ///
        /// Dropping it ends the direction: the other side reads the end.
        pub struct $write_half {
            /// Gone only when it has been reunited.
            write: Option<Owned<$std>>,
        }

        impl $read_half {
            fn inner(&self) -> &$std {
                self.read.socket()
            }

            /// Puts the halves together again.
            ///
            /// # Errors
            /// Gives them back if they are not of one stream.
            pub fn reunite(
                self,
                mut other: $write_half,
            ) -> Result<$ours, ($read_half, $write_half)> {
                match other.write.take() {
                    Some(write) if std::sync::Arc::ptr_eq(self.read.socket(), write.socket()) => {
                        Ok($ours {
                            read: self.read,
                            write,
                        })
                    }
                    write => {
                        other.write = write;
                        Err((self, other))
                    }
                }
            }
        }

        impl $write_half {
            fn turn(&mut self) -> &mut Owned<$std> {
                self.write.as_mut().expect("it has not been reunited")
            }

            fn inner(&self) -> &$std {
                let write = self.write.as_ref().expect("it has not been reunited");
                write.socket()
            }
        }

        impl Drop for $write_half {
            fn drop(&mut self) {
                if let Some(write) = &self.write {
                    let _ = write.socket().shutdown(std::net::Shutdown::Write);
                }
            }
        }

        impl std::fmt::Debug for $read_half {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let peer = self.inner().peer_addr().ok();
                f.debug_tuple(stringify!($read_half)).field(&peer).finish()
            }
        }

        impl std::fmt::Debug for $write_half {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let peer = self.inner().peer_addr().ok();
                f.debug_tuple(stringify!($write_half)).field(&peer).finish()
            }
        }

        $crate::net::stream::descriptor!($read_half);
        $crate::net::stream::descriptor!($write_half);
        $crate::net::stream::reads!($read_half);
        $crate::net::stream::writes!($write_half);
    };
}

/// `AsyncRead` for what has a turn `read`.
macro_rules! reads {
    ($ours:ident) => {
        impl futures_io::AsyncRead for $ours {
            fn poll_read(
                mut self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
                buffer: &mut [u8],
            ) -> std::task::Poll<std::io::Result<usize>> {
                $crate::net::stream::poll_read(&mut self.read, cx, buffer)
            }

            fn poll_read_vectored(
                mut self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
                buffers: &mut [std::io::IoSliceMut<'_>],
            ) -> std::task::Poll<std::io::Result<usize>> {
                $crate::net::stream::poll_read_vectored(&mut self.read, cx, buffers)
            }
        }
    };
}

/// `AsyncWrite` for what has a turn to write.
macro_rules! writes {
    ($ours:ident) => {
        impl futures_io::AsyncWrite for $ours {
            fn poll_write(
                mut self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
                bytes: &[u8],
            ) -> std::task::Poll<std::io::Result<usize>> {
                $crate::net::stream::poll_write(self.turn(), cx, bytes)
            }

            fn poll_write_vectored(
                mut self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
                buffers: &[std::io::IoSlice<'_>],
            ) -> std::task::Poll<std::io::Result<usize>> {
                $crate::net::stream::poll_write_vectored(self.turn(), cx, buffers)
            }

            /// Nothing is kept back here.
            fn poll_flush(
                self: std::pin::Pin<&mut Self>,
                _: &mut std::task::Context<'_>,
            ) -> std::task::Poll<std::io::Result<()>> {
                std::task::Poll::Ready(Ok(()))
            }

            /// Ends the direction: the other side reads the end.
            fn poll_close(
                self: std::pin::Pin<&mut Self>,
                _: &mut std::task::Context<'_>,
            ) -> std::task::Poll<std::io::Result<()>> {
                let ended = self.inner().shutdown(std::net::Shutdown::Write);
                std::task::Poll::Ready($crate::net::stream::or_gone(ended))
            }
        }
    };
}

pub(super) use {descriptor, option, reads, stream, whole, writes};

use std::io::{self, ErrorKind, IoSlice, IoSliceMut, Read, Write};
use std::task::{Context, Poll};

use super::socket::{Owned, Socket, Took};
use crate::Interest;
use crate::actor::{Source, syscall};

pub(super) fn poll_read<T>(
    turn: &mut Owned<T>,
    cx: &mut Context<'_>,
    buffer: &mut [u8],
) -> Poll<io::Result<usize>>
where
    T: Source,
    for<'a> &'a T: Read,
{
    let length = buffer.len();
    turn.poll(cx, |mut io| {
        let read = io.read(buffer)?;
        Ok(Took::<usize>::part(read, length))
    })
}

pub(super) fn poll_read_vectored<T>(
    turn: &mut Owned<T>,
    cx: &mut Context<'_>,
    buffers: &mut [IoSliceMut<'_>],
) -> Poll<io::Result<usize>>
where
    T: Source,
    for<'a> &'a T: Read,
{
    let length = buffers.iter().map(|buffer| buffer.len()).sum();
    turn.poll(cx, |mut io| {
        let read = io.read_vectored(buffers)?;
        Ok(Took::<usize>::part(read, length))
    })
}

pub(super) fn poll_write<T>(
    turn: &mut Owned<T>,
    cx: &mut Context<'_>,
    bytes: &[u8],
) -> Poll<io::Result<usize>>
where
    T: Source,
    for<'a> &'a T: Write,
{
    turn.poll(cx, |mut io| {
        let written = io.write(bytes)?;
        Ok(Took::<usize>::part(written, bytes.len()))
    })
}

pub(super) fn poll_write_vectored<T>(
    turn: &mut Owned<T>,
    cx: &mut Context<'_>,
    buffers: &[IoSlice<'_>],
) -> Poll<io::Result<usize>>
where
    T: Source,
    for<'a> &'a T: Write,
{
    let length = buffers.iter().map(|buffer| buffer.len()).sum();
    turn.poll(cx, |mut io| {
        let written = io.write_vectored(buffers)?;
        Ok(Took::<usize>::part(written, length))
    })
}

/// Waits until a socket is ready, as it is now.
pub(super) async fn ready<T: Source>(socket: &Socket<T>, interest: Interest) -> io::Result<()> {
    syscall(&**socket, interest).await.map(|_| ())
}

/// A close of what the other side has closed already is done.
pub(super) fn or_gone(ended: io::Result<()>) -> io::Result<()> {
    match ended {
        Err(error) if error.kind() == ErrorKind::NotConnected => Ok(()),
        other => other,
    }
}

/// Whether a connect goes on in the background.
pub(super) fn is_under_way(error: &io::Error) -> bool {
    // std's name for it is not stable yet.
    #[cfg(unix)]
    if error.raw_os_error() == Some(rustix::io::Errno::INPROGRESS.raw_os_error()) {
        return true;
    }
    error.kind() == ErrorKind::WouldBlock
}
