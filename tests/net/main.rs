//! Sockets: TCP, UDP, Unix; what they do, and that nothing stays behind.

#[macro_use]
#[path = "../support/mod.rs"]
mod support;

mod alone;

use std::io::{self, ErrorKind, Read, Write};
use std::net::{self as std_net, Shutdown, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::thread;

use futures::{AsyncReadExt, AsyncWriteExt, FutureExt, StreamExt, join};
use support::{Stop, block_on, panic_of, until_stop, watchdog};
use uproar::net::{TcpListener, TcpStream, UdpSocket, UnixListener, UnixStream};
use uproar::prelude::*;
use uproar::{Runtime, Tick};

const SECOND: Duration = Duration::from_secs(1);

async fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

/// Both ends of a connection, in which small writes don't wait for each other.
async fn pair() -> (TcpStream, TcpStream) {
    let (listener, address) = listener().await;
    let (client, server) = join!(TcpStream::connect(address), listener.accept());
    let (client, server) = (client.unwrap(), server.unwrap().0);
    client.set_nodelay(true).unwrap();
    server.set_nodelay(true).unwrap();
    (client, server)
}

async fn echo(mut stream: TcpStream) -> io::Result<()> {
    let mut buffer = [0; 1000];
    loop {
        match stream.read(&mut buffer).await? {
            0 => return Ok(()),
            read => stream.write_all(&buffer[..read]).await?,
        }
    }
}

fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|n| (n * 7 + n / 251) as u8).collect()
}

both! {
    async fn bytes_come_back() {
        let (mut here, there) = pair().await;
        spawn(echo(there));
        for length in [1, 999, 1000, 1001, 20_000] {
            let bytes = pattern(length);
            here.write_all(&bytes).await.unwrap();
            let mut back = vec![0; length];
            here.read_exact(&mut back).await.unwrap();
            assert_eq!(back, bytes);
        }
        here.close().await.unwrap();
        assert_eq!(here.read(&mut [0]).await.unwrap(), 0, "the other side has ended too");
        here.close().await.unwrap();
    }

    async fn vectored_calls() {
        let (mut here, mut there) = pair().await;
        let parts = [io::IoSlice::new(b"ab"), io::IoSlice::new(b"cde")];
        assert_eq!(here.write_vectored(&parts).await.unwrap(), 5);
        drop(here);
        let (mut first, mut rest) = ([0; 3], [0; 9]);
        let mut parts = [io::IoSliceMut::new(&mut first), io::IoSliceMut::new(&mut rest)];
        assert_eq!(there.read_vectored(&mut parts).await.unwrap(), 5);
        assert_eq!((&first, &rest[..2]), (b"abc", &b"de"[..]));
        assert_eq!(there.read(&mut first).await.unwrap(), 0);
    }

    // One reads while the other writes; dropping the half that writes ends its direction.
    async fn halves_in_two_actors() {
        let (here, there) = pair().await;
        spawn(echo(there));
        let (mut read, mut write) = here.into_split();
        let bytes = pattern(50_000);
        let sent = bytes.clone();
        spawn(async move { write.write_all(&sent).await });
        let mut all = Vec::new();
        read.read_to_end(&mut all).await.unwrap();
        assert!(all == bytes);
    }

    async fn halves_come_together_again() {
        let (here, there) = pair().await;
        spawn(echo(there));
        let (other, _peer) = pair().await;
        let (read, write) = here.into_split();
        let (other_read, other_write) = other.into_split();
        let (read, other_write) = read.reunite(other_write).unwrap_err();
        let mut here = read.reunite(write).unwrap();
        assert!(other_read.reunite(other_write).is_ok());
        here.write_all(b"still open").await.unwrap();
        let mut back = [0; 10];
        here.read_exact(&mut back).await.unwrap();
        let (mut read, mut write) = futures::AsyncReadExt::split(here);
        let (written, back) = join!(write.write_all(b"again"), async {
            let mut back = [0; 5];
            read.read_exact(&mut back).await.map(|()| back)
        });
        written.unwrap();
        assert_eq!(&back.unwrap(), b"again");
    }

    // [R63] clones of one stream, read by several futures at once: all end at the end.
    async fn several_readers_of_one_stream() {
        let (here, there) = pair().await;
        let readers: Vec<_> = (0..5)
            .map(|_| {
                let mut clone = here.clone();
                async move {
                    let mut total = 0;
                    loop {
                        match clone.read(&mut [0; 3]).await.unwrap() {
                            0 => return total,
                            read => total += read,
                        }
                    }
                }
            })
            .collect();
        let write = async move {
            let mut there = there;
            for _ in 0..20 {
                there.write_all(b"abcde").await.unwrap();
                yield_now().await;
            }
        };
        let (totals, ()) = join!(futures::future::join_all(readers), write);
        assert_eq!(totals.iter().sum::<usize>(), 100);
    }

    async fn what_the_other_side_has_sent_before_it_ended_is_read() {
        let (mut here, mut there) = pair().await;
        there.write_all(b"last words").await.unwrap();
        drop(there);
        let mut piece = [0; 4];
        let mut all = Vec::new();
        loop {
            match here.read(&mut piece).await.unwrap() {
                0 => break,
                read => all.extend_from_slice(&piece[..read]),
            }
        }
        assert_eq!(all, b"last words");
        assert_eq!(here.read(&mut piece).await.unwrap(), 0, "and ever again");
    }

    // The end comes while a reader waits that knows the socket as drained.
    async fn an_end_wakes_a_reader() {
        for how in [None, Some(Shutdown::Write), Some(Shutdown::Both)] {
            let (mut here, mut there) = pair().await;
            let read = async {
                let mut all = Vec::new();
                here.read_to_end(&mut all).await.map(|_| all)
            };
            let end = async {
                there.write_all(b"x").await.unwrap();
                yield_now().await;
                match how {
                    Some(how) => there.shutdown(how).unwrap(),
                    None => drop(there),
                }
            };
            let (read, ()) = join!(read, end);
            assert_eq!(read.unwrap(), b"x");
        }
    }

    async fn accept_takes_all_that_come() {
        let (listener, address) = listener().await;
        let clients: Vec<_> = (0..20).map(|_| TcpStream::connect(address)).collect();
        let accepted = listener.incoming().take(20).filter_map(|it| async { it.ok() });
        let (clients, accepted) =
            join!(futures::future::join_all(clients), accepted.collect::<Vec<_>>());
        let mut ours: Vec<_> = clients.into_iter().map(|c| c.unwrap().local_addr().unwrap()).collect();
        let mut theirs: Vec<_> = accepted.iter().map(|s| s.peer_addr().unwrap()).collect();
        ours.sort_unstable();
        theirs.sort_unstable();
        assert_eq!(ours, theirs);
    }

    async fn nobody_listens() {
        let (listener, address) = listener().await;
        drop(listener);
        let error = TcpStream::connect(address).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
        // The next address is tried.
        let (listener, open) = self::listener().await;
        let (client, server) = join!(TcpStream::connect([address, open]), listener.accept());
        assert_eq!(client.unwrap().peer_addr().unwrap(), open);
        server.unwrap();
        let error = TcpListener::bind(open).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AddrInUse);
    }

    async fn datagrams() {
        let one = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let other = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let (from, to) = (one.local_addr().unwrap(), other.local_addr().unwrap());
        let mut buffer = [0; 64];
        let (received, sent) = join!(other.recv_from(&mut buffer), one.send_to(b"first", to));
        assert_eq!((received.unwrap(), sent.unwrap()), ((5, from), 5));
        assert_eq!(&buffer[..5], b"first");
        one.connect(to).await.unwrap();
        other.connect(from).await.unwrap();
        one.send(b"second").await.unwrap();
        one.send(b"third").await.unwrap();
        assert_eq!(other.peek_from(&mut buffer).await.unwrap().0, 6);
        assert_eq!(other.recv(&mut buffer[..3]).await.unwrap(), 3, "the rest is cut off");
        assert_eq!(other.recv(&mut buffer).await.unwrap(), 5);
        assert_eq!(&buffer[..5], b"third");
        one.writable().await.unwrap();
        assert!(other.readable().now_or_never().is_none());
    }

    // Many actors at one socket: each datagram goes to one of them.
    async fn one_socket_and_many_receivers() {
        let socket = Arc::new(UdpSocket::bind("127.0.0.1:0").await.unwrap());
        let to = socket.local_addr().unwrap();
        let me = self_address::<Anything>();
        for _ in 0..10 {
            let (socket, me) = (Arc::clone(&socket), me.clone());
            spawn(async move {
                let mut byte = [0];
                socket.recv(&mut byte).await.unwrap();
                me.send(byte[0]);
            });
        }
        yield_now().await;
        for n in 0..10u8 {
            socket.send_to(&[n], to).await.unwrap();
        }
        let mut all = Vec::new();
        for _ in 0..10 {
            let Typed(n) = receive::<Typed<u8>>().await;
            all.push(n);
        }
        all.sort_unstable();
        assert_eq!(all, (0..10).collect::<Vec<_>>());
    }

    async fn unix_sockets() {
        let path = std::env::temp_dir().join(format!("uproar-{}-{}", std::process::id(), self_pid()));
        let path = path.with_extension(format!("{:?}", thread::current().id()));
        let listener = UnixListener::bind(&path).unwrap();
        let (client, server) = join!(UnixStream::connect(&path), listener.accept());
        let (mut client, mut server) = (client.unwrap(), server.unwrap().0);
        client.write_all(b"over a file").await.unwrap();
        client.close().await.unwrap();
        let mut all = Vec::new();
        server.read_to_end(&mut all).await.unwrap();
        assert_eq!(all, b"over a file");
        std::fs::remove_file(&path).unwrap();
        assert!(UnixStream::connect(&path).await.is_err());
        let (mut here, mut there) = UnixStream::pair().unwrap();
        let (read, written) = join!(here.read(&mut all[..]), there.write(b"pair"));
        assert_eq!((read.unwrap(), written.unwrap()), (4, 4));
        let mut incoming = pin!(listener.incoming());
        assert!(incoming.next().now_or_never().is_none());
    }

    // [R28] a kill takes a connection with it: the other side reads the end.
    async fn a_kill_closes_the_connection() {
        let (mut here, there) = pair().await;
        let victim = spawn(echo(there));
        here.write_all(b"x").await.unwrap();
        here.read_exact(&mut [0]).await.unwrap();
        kill(&victim);
        assert_eq!(here.read(&mut [0]).await.unwrap(), 0);
    }

    // [R28] a message, beside a read that waits.
    async fn reading_and_receiving_at_once() {
        let (here, mut there) = pair().await;
        let me = self_address::<Anything>();
        let reader = spawn(async move {
            let (mut read, mut buffer) = (here, [0; 16]);
            let mut log = Vec::new();
            while log.len() < 6 {
                let mut message = pin!(receive::<Typed<u32>>().fuse());
                let mut bytes = pin!(read.read(&mut buffer).fuse());
                futures::select_biased! {
                    Typed(n) = message => log.push(n),
                    read = bytes => log.extend((0..read.unwrap()).map(|_| 0)),
                }
            }
            me.send(log);
        });
        for n in 1..=3u32 {
            there.write_all(b"!").await.unwrap();
            reader.send(n);
            yield_now().await;
        }
        let Typed(mut log) = receive::<Typed<Vec<u32>>>().await;
        log.sort_unstable();
        assert_eq!(log, [0, 0, 0, 1, 2, 3]);
    }

    // [R52] one that is always ready lets others run.
    async fn a_ready_socket_starves_nobody() {
        let (mut here, mut there) = pair().await;
        spawn(async move { while there.write_all(&[7; 4096]).await.is_ok() {} });
        let other = spawn(async {
            for _ in 0..20 {
                yield_now().await;
            }
        });
        let mut reads = 0;
        while other.is_alive() {
            let _ = here.read(&mut [0; 16]).await.unwrap();
            reads += 1;
            assert!(reads < 1_000_000, "it never had its turn");
        }
    }

    async fn options() {
        let (here, there) = pair().await;
        here.set_nodelay(false).unwrap();
        assert!(!here.nodelay().unwrap() && there.nodelay().unwrap());
        here.set_ttl(33).unwrap();
        assert_eq!(here.ttl().unwrap(), 33);
        here.set_linger(Some(SECOND)).unwrap();
        assert_eq!(here.linger().unwrap(), Some(SECOND));
        assert!(!here.keepalive().unwrap());
        here.set_keepalive(Some(30 * SECOND)).unwrap();
        assert!(here.keepalive().unwrap());
        here.set_keepalive(None).unwrap();
        assert!(!here.keepalive().unwrap());
        here.set_recv_buffer_size(8192).unwrap();
        here.set_send_buffer_size(8192).unwrap();
        assert!(here.recv_buffer_size().unwrap() >= 8192);
        assert!(here.send_buffer_size().unwrap() >= 8192);
        assert!(here.take_error().unwrap().is_none());
        assert_eq!(here.peer_addr().unwrap(), there.local_addr().unwrap());
        let (listener, _) = listener().await;
        assert!(listener.reuse_address().unwrap());
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        socket.set_broadcast(true).unwrap();
        assert!(socket.broadcast().unwrap());
    }

    // To std and back, with data under way.
    async fn conversions() {
        let (mut here, there) = pair().await;
        here.write_all(b"ab").await.unwrap();
        let mut there = there;
        there.read_exact(&mut [0]).await.unwrap();
        let mut plain = std_net::TcpStream::try_from(there).unwrap();
        let mut byte = [0];
        plain.read_exact(&mut byte).unwrap();
        plain.write_all(&byte).unwrap();
        here.read_exact(&mut byte).await.unwrap();
        assert_eq!(&byte, b"b");
        let mut there = TcpStream::try_from(plain).unwrap();
        let (read, written) = join!(there.read(&mut byte), here.write(b"c"));
        assert_eq!((read.unwrap(), written.unwrap(), &byte), (1, 1, b"c"));
        let other = there.clone();
        drop(std_net::TcpStream::try_from(there).unwrap());
        drop(other);
        let (listener, address) = listener().await;
        assert!(listener.accept().now_or_never().is_none());
        let plain = std_net::TcpListener::try_from(listener).unwrap();
        assert_eq!(plain.local_addr().unwrap(), address);
        TcpListener::try_from(plain).unwrap();
    }

    async fn wait_for_readiness() {
        let (here, mut there) = pair().await;
        here.writable().await.unwrap();
        assert!(here.readable().now_or_never().is_none());
        let (ready, ()) = join!(here.readable(), async {
            there.write_all(b"xy").await.unwrap();
        });
        ready.unwrap();
        // It is a state, not an edge.
        here.readable().await.unwrap();
        let mut two = [0; 2];
        assert_eq!(here.peek(&mut two).await.unwrap(), 2);
        assert_eq!(&two, b"xy");
        let ready = syscall(&here, Interest::READABLE | Interest::WRITABLE).await.unwrap();
        assert!(ready.contains(Interest::READABLE | Interest::WRITABLE));
    }
}
