//! Waits for I/O. Where the other side is played, that is by calls that never wait: so each
//! wait that is counted is the one that is cut.

use std::io::{ErrorKind, Read, Write};
use std::net as tcp;
use std::os::unix::net as unix;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::{AsyncReadExt, AsyncWriteExt, FutureExt, StreamExt};
use uproar::Runtime;
use uproar::net::{TcpListener, TcpStream, UdpSocket, UnixListener, UnixStream};
use uproar::prelude::*;

use super::cutter::{Cutter, every_cut_of_io, every_cut_of_questions};
use super::support::watchdog;

/// Does this in an actor of its own, after a while.
fn later(code: impl FnOnce() + Send + 'static) {
    spawn(async move {
        yield_now().await;
        yield_now().await;
        code();
    });
}

/// Two that are connected, in non-blocking mode.
fn raw_pair() -> (unix::UnixStream, unix::UnixStream) {
    let (one, other) = unix::UnixStream::pair().unwrap();
    one.set_nonblocking(true).unwrap();
    other.set_nonblocking(true).unwrap();
    (one, other)
}

/// A stream, and the other end of it, which never waits.
fn pair() -> (UnixStream, unix::UnixStream) {
    let (one, other) = raw_pair();
    (one.try_into().unwrap(), other)
}

/// As many bytes as there is room for.
fn fill(mut stream: &unix::UnixStream) -> usize {
    let mut written = 0;
    while let Ok(some) = stream.write(&[7; 4096]) {
        written += some;
    }
    written
}

/// As many bytes as there are.
fn empty(mut stream: &unix::UnixStream) -> usize {
    let mut read = 0;
    while let Ok(some @ 1..) = stream.read(&mut [0; 4096]) {
        read += some;
    }
    read
}

fn sources(cutter: &Cutter) -> usize {
    cutter.runtime.stats().io_sources
}

#[test]
fn a_syscall() {
    every_cut_of_io(async |cutter| {
        let (here, mut there) = raw_pair();
        let before = sources(cutter);
        later(move || there.write_all(b"x").unwrap());
        let ready = cutter.cut(|| syscall(&here, Interest::READABLE)).await;
        assert!(ready.is_none_or(|ready| ready.unwrap() == Interest::READABLE));
        assert_eq!(sources(cutter), before, "it is not watched any more");
        let ready = syscall(&here, Interest::READABLE).await;
        assert_eq!(ready.unwrap(), Interest::READABLE);
        assert_eq!(empty(&here), 1);
    });
}

#[test]
fn a_syscall_for_writing() {
    every_cut_of_io(async |cutter| {
        let (here, there) = raw_pair();
        let filled = fill(&here);
        later(move || assert_eq!(empty(&there), filled));
        let ready = cutter.cut(|| syscall(&here, Interest::WRITABLE)).await;
        assert!(ready.is_none_or(|ready| ready.unwrap() == Interest::WRITABLE));
        let ready = syscall(&here, Interest::WRITABLE).await;
        // The other end is gone as well, or not yet.
        assert!(ready.unwrap().is_writable());
    });
}

#[test]
fn a_syscall_with_a_timeout() {
    every_cut_of_io(async |cutter| {
        let (here, mut there) = raw_pair();
        later(move || there.write_all(b"x").unwrap());
        let limit = Duration::from_secs(3600);
        let ready = cutter
            .cut(|| syscall(&here, Interest::READABLE).timeout(limit))
            .await;
        // A virtual clock jumps that far as soon as nobody can run.
        let came = |ready: std::io::Result<Interest>| match ready {
            Ok(ready) => ready == Interest::READABLE,
            Err(error) => error.kind() == ErrorKind::TimedOut,
        };
        assert!(ready.is_none_or(came));
        syscall(&here, Interest::READABLE).await.unwrap();
        assert_eq!(empty(&here), 1);
    });
}

#[test]
fn a_syscall_that_times_out() {
    every_cut_of_io(async |cutter| {
        let (here, _there) = raw_pair();
        let before = sources(cutter);
        let ready = cutter
            .cut(|| syscall(&here, Interest::READABLE).timeout(cutter.limit))
            .await;
        let timed_out = |error: std::io::Error| error.kind() == ErrorKind::TimedOut;
        assert!(ready.is_none_or(|ready| ready.is_err_and(timed_out)));
        assert_eq!(sources(cutter), before, "it is not watched any more");
    });
}

// Another waits for the same source, before it and after it.
#[test]
fn a_syscall_beside_others() {
    every_cut_of_io(async |cutter| {
        let (here, mut there) = raw_pair();
        let mut first = syscall(&here, Interest::READABLE);
        assert!((&mut first).now_or_never().is_none());
        later(move || there.write_all(b"x").unwrap());
        let ready = cutter.cut(|| syscall(&here, Interest::READABLE)).await;
        assert!(ready.is_none_or(|ready| ready.unwrap() == Interest::READABLE));
        let second = syscall(&here, Interest::READABLE);
        let (first, second) = futures::join!(first, second);
        assert_eq!(first.unwrap(), second.unwrap());
    });
}

#[test]
fn a_read() {
    every_cut_of_io(async |cutter| {
        let (here, mut there) = pair();
        later(move || there.write_all(b"abc").unwrap());
        let mut reader = here.clone();
        let read = cutter
            .cut(async move || {
                let mut buffer = [0; 2];
                let read = reader.read(&mut buffer).await.unwrap();
                buffer[..read].to_vec()
            })
            .await;
        let mut here = here;
        let mut all = read.unwrap_or_default();
        here.read_to_end(&mut all).await.unwrap();
        assert_eq!(all, b"abc");
    });
}

// Of a handle that stays the wait stays too, as the traits are: the next call takes it over.
#[test]
fn a_read_of_a_handle_that_stays() {
    let _watchdog = watchdog(60);
    for seed in 0..100 {
        let runtime = Runtime::builder().seed(seed).manual();
        runtime.block_on(async {
            let (mut here, mut there) = pair();
            let waits = || runtime.stats().io_waits;
            for _ in 0..3 {
                assert!(here.read(&mut [0]).now_or_never().is_none());
                assert_eq!(waits(), 1);
            }
            there.write_all(b"abc").unwrap();
            let mut all = [0; 3];
            here.read_exact(&mut all).await.unwrap();
            assert_eq!((&all, waits()), (b"abc", 0));
            assert!(here.read(&mut [0]).now_or_never().is_none());
            drop(here);
            assert_eq!(waits(), 0);
        });
    }
}

#[test]
fn a_write() {
    every_cut_of_io(async |cutter| {
        let (here, there) = raw_pair();
        let filled = fill(&here);
        let here = UnixStream::try_from(here).unwrap();
        let reader = there.try_clone().unwrap();
        later(move || assert_eq!(empty(&reader), filled));
        let mut writer = here.clone();
        let written = cutter
            .cut(async move || writer.write(b"abc").await.unwrap())
            .await;
        let mut here = here;
        here.write_all(b"de").await.unwrap();
        // What was dropped has written nothing.
        assert_eq!(empty(&there), written.map_or(2, |written| written + 2));
    });
}

#[test]
fn readiness_of_a_stream() {
    every_cut_of_io(async |cutter| {
        let (mut here, mut there) = pair();
        let before = sources(cutter);
        later(move || there.write_all(b"x").unwrap());
        let ready = cutter.cut(|| here.readable()).await;
        assert!(ready.is_none_or(|ready| ready.is_ok()));
        let ready = cutter.cut(|| here.writable()).await;
        assert!(ready.is_none_or(|ready| ready.is_ok()));
        assert_eq!(sources(cutter), before, "it is not watched any more");
        let mut all = Vec::new();
        here.read_to_end(&mut all).await.unwrap();
        assert_eq!(all, b"x");
    });
}

async fn listener() -> (TcpListener, tcp::SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

// What is connected is taken by whoever accepts next.
#[test]
fn an_accept() {
    every_cut_of_io(async |cutter| {
        let (listener, address) = listener().await;
        later(move || {
            let mut client = tcp::TcpStream::connect(address).unwrap();
            client.write_all(b"x").unwrap();
        });
        let accepted = cutter.cut(|| listener.accept()).await;
        let (mut stream, _) = match accepted {
            Some(accepted) => accepted.unwrap(),
            None => listener.accept().await.unwrap(),
        };
        let mut all = Vec::new();
        stream.read_to_end(&mut all).await.unwrap();
        assert_eq!(all, b"x");
    });
}

#[test]
fn incoming_connections() {
    every_cut_of_io(async |cutter| {
        let (listener, address) = listener().await;
        later(move || drop(tcp::TcpStream::connect(address).unwrap()));
        let accepted = cutter
            .cut(async || listener.incoming().next().await.unwrap())
            .await;
        let mut stream = match accepted {
            Some(accepted) => accepted.unwrap(),
            None => listener.incoming().next().await.unwrap().unwrap(),
        };
        assert_eq!(stream.read(&mut [0]).await.unwrap(), 0);
    });
}

// The attempt is given up: nobody is connected, or the other side reads the end.
#[test]
fn a_connect() {
    every_cut_of_io(async |cutter| {
        let (listener, address) = listener().await;
        let before = sources(cutter);
        let connected = cutter.cut(|| TcpStream::connect(address)).await;
        if connected.is_none() {
            assert_eq!(sources(cutter), before, "it is closed");
        }
        if let Some(connected) = connected {
            let (mut server, _) = listener.accept().await.unwrap();
            let mut client = connected.unwrap();
            client.write_all(b"x").await.unwrap();
            server.read_exact(&mut [0]).await.unwrap();
        } else if let Some(accepted) = listener.accept().now_or_never() {
            let (mut server, _) = accepted.unwrap();
            assert!(matches!(server.read(&mut [0]).await, Ok(0) | Err(_)));
        }
    });
}

#[test]
fn a_connect_that_is_refused() {
    every_cut_of_io(async |cutter| {
        let (listener, address) = listener().await;
        drop(listener);
        let connected = cutter.cut(|| TcpStream::connect(address)).await;
        assert!(connected.is_none_or(|connected| connected.is_err()));
    });
}

// The look-up goes on where nobody waits for it.
#[test]
fn a_look_up_of_a_name() {
    every_cut_of_questions(async |cutter| {
        let bound = cutter.cut(|| TcpListener::bind("localhost:0")).await;
        assert!(bound.is_none_or(|bound| bound.is_ok()));
    });
}

#[test]
fn a_peek() {
    every_cut_of_io(async |cutter| {
        let (listener, address) = listener().await;
        let mut client = tcp::TcpStream::connect(address).unwrap();
        let (mut stream, _) = listener.accept().await.unwrap();
        later(move || client.write_all(b"x").unwrap());
        let peeked = cutter.cut(async || stream.peek(&mut [0]).await).await;
        assert!(peeked.is_none_or(|peeked| peeked.unwrap() == 1));
        let mut all = Vec::new();
        stream.read_to_end(&mut all).await.unwrap();
        assert_eq!(all, b"x");
    });
}

async fn datagrams() -> (UdpSocket, tcp::UdpSocket, tcp::SocketAddr) {
    let here = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let there = tcp::UdpSocket::bind("127.0.0.1:0").unwrap();
    there.connect(here.local_addr().unwrap()).unwrap();
    let address = there.local_addr().unwrap();
    (here, there, address)
}

// A datagram is taken whole, in the poll that returns it.
#[test]
fn a_datagram_is_received() {
    every_cut_of_io(async |cutter| {
        let (here, there, address) = datagrams().await;
        later(move || {
            there.send(b"one").unwrap();
            there.send(b"two").unwrap();
        });
        let received = cutter
            .cut(async || {
                let mut buffer = [0; 8];
                let (length, from) = here.recv_from(&mut buffer).await.unwrap();
                assert_eq!(from, address);
                buffer[..length].to_vec()
            })
            .await;
        let mut all: Vec<Vec<u8>> = received.into_iter().collect();
        while all.len() < 2 {
            let mut buffer = [0; 8];
            let (length, _) = here.recv_from(&mut buffer).await.unwrap();
            all.push(buffer[..length].to_vec());
        }
        assert_eq!(all, [b"one", b"two"]);
    });
}

#[test]
fn datagrams_and_readiness() {
    every_cut_of_io(async |cutter| {
        let (here, there, address) = datagrams().await;
        let later_there = there.try_clone().unwrap();
        later(move || {
            later_there.send(b"one").unwrap();
        });
        let peeked = cutter
            .cut(async || here.peek_from(&mut [0; 8]).await.unwrap())
            .await;
        assert!(peeked.is_none_or(|peeked| peeked == (3, address)));
        let ready = cutter.cut(|| here.readable()).await;
        assert!(ready.is_none_or(|ready| ready.is_ok()));
        let sent = cutter.cut(|| here.send_to(b"back", address)).await;
        let was_sent = sent.is_some();
        assert!(sent.is_none_or(|sent| sent.unwrap() == 4));
        assert_eq!(here.recv_from(&mut [0; 8]).await.unwrap(), (3, address));
        assert_eq!(
            sent_back(&there),
            usize::from(was_sent),
            "in the poll that returns"
        );
    });
}

/// Datagrams that have come.
fn sent_back(socket: &tcp::UdpSocket) -> usize {
    socket.set_nonblocking(true).unwrap();
    std::iter::from_fn(|| socket.recv(&mut [0; 8]).ok()).count()
}

/// A path of its own.
fn path() -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("uproar-cancelling-{}-{number}", std::process::id());
    std::env::temp_dir().join(name)
}

#[test]
fn a_unix_accept() {
    every_cut_of_io(async |cutter| {
        let path = path();
        let listener = UnixListener::bind(&path).unwrap();
        let to = path.clone();
        later(move || {
            let mut client = unix::UnixStream::connect(to).unwrap();
            client.write_all(b"x").unwrap();
        });
        let accepted = cutter.cut(|| listener.accept()).await;
        let (mut stream, _) = match accepted {
            Some(accepted) => accepted.unwrap(),
            None => listener.accept().await.unwrap(),
        };
        let mut all = Vec::new();
        stream.read_to_end(&mut all).await.unwrap();
        assert_eq!(all, b"x");
        std::fs::remove_file(&path).unwrap();
    });
}

/// A listener with room for so few in its line that some have to wait.
fn narrow(path: &PathBuf) -> unix::UnixListener {
    let kind = socket2::Type::STREAM;
    let socket = socket2::Socket::new(socket2::Domain::UNIX, kind, None).unwrap();
    let address = socket2::SockAddr::unix(path).unwrap();
    socket.bind(&address).unwrap();
    socket.listen(0).unwrap();
    let listener: unix::UnixListener = socket.into();
    listener.set_nonblocking(true).unwrap();
    listener
}

// It waits for room in the line of the listener.
#[test]
fn a_unix_connect() {
    every_cut_of_io(async |cutter| {
        let path = path();
        let listener = narrow(&path);
        let before = unix::UnixStream::connect(&path).unwrap();
        let accepts = listener.try_clone().unwrap();
        later(move || drop(accepts.accept().unwrap()));
        let connected = cutter.cut(|| UnixStream::connect(&path)).await;
        let connected = match connected {
            Some(connected) => connected.unwrap(),
            None => UnixStream::connect(&path).await.unwrap(),
        };
        drop((before, connected));
        // One of those that were connected is taken already; no other is in the line.
        assert!(listener.accept().is_ok());
        assert!(listener.accept().is_err());
        std::fs::remove_file(&path).unwrap();
    });
}
