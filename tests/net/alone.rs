//! What a socket does beyond one runtime and one driver.

use super::*;

/// More than all buffers hold, to a reader that takes odd pieces.
#[uproar::test]
async fn a_writer_waits_for_a_slow_reader() {
    let _watchdog = watchdog(60);
    let (mut here, mut there) = pair().await;
    here.set_send_buffer_size(65_536).unwrap();
    there.set_recv_buffer_size(65_536).unwrap();
    let bytes = pattern(3_000_000);
    let sent = bytes.clone();
    spawn(async move { here.write_all(&sent).await });
    let mut all = Vec::new();
    let mut piece = [0; 7777];
    loop {
        match there.read(&mut piece).await.unwrap() {
            0 => break,
            read => all.extend_from_slice(&piece[..read]),
        }
        if all.len() % 5 == 0 {
            yield_now().await;
        }
    }
    assert!(all == bytes);
}

#[uproar::test]
async fn names_and_other_addresses() {
    let _watchdog = watchdog(60);
    let (listener, address) = listener().await;
    let port = address.port();
    for _ in 0..2 {
        let (client, server) = join!(TcpStream::connect(("localhost", port)), listener.accept());
        assert_eq!(client.unwrap().local_addr().unwrap(), server.unwrap().1);
    }
    let text = format!("127.0.0.1:{port}");
    let (client, _) = join!(TcpStream::connect(text), listener.accept());
    client.unwrap();
    for bad in ["localhost", "localhost:", "localhost:70000", ""] {
        let error = TcpStream::connect(bad).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{bad}");
    }
    let none: [SocketAddr; 0] = [];
    assert!(TcpStream::connect(none).await.is_err());
    // One that is dropped leaves nothing behind, nor does it hurt the next.
    assert!(TcpStream::connect("localhost:1").now_or_never().is_none());
}

/// [R61] Whatever is dropped or timed out, in which state ever, the gauges are back.
#[test]
fn nothing_stays_behind() {
    let _watchdog = watchdog(60);
    for seed in 0..50 {
        let runtime = Runtime::builder().seed(seed).jump_over_io(true).manual();
        runtime.block_on(async {
            let (mut here, there) = pair().await;
            let (listener, _) = listener().await;
            let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
            for _ in 0..3 {
                assert!(here.read(&mut [0]).now_or_never().is_none());
                assert!(listener.accept().now_or_never().is_none());
                assert!(listener.incoming().next().now_or_never().is_none());
                assert!(socket.recv(&mut [0]).now_or_never().is_none());
                assert!(here.readable().now_or_never().is_none());
                assert!(here.peek(&mut [0]).now_or_never().is_none());
                assert!(timeout(SECOND, there.readable()).await.is_err());
                assert!(timeout(SECOND, listener.accept()).await.is_err());
                let wait = syscall(&socket, Interest::READABLE).timeout(SECOND);
                assert_eq!(wait.await.unwrap_err().kind(), ErrorKind::TimedOut);
            }
            let reader = spawn(echo(there));
            yield_now().await;
            kill(&reader);
            yield_now().await;
        });
        runtime.run_until_idle();
        let stats = runtime.stats();
        assert_eq!(
            (stats.io_waits, stats.io_sources, stats.timers),
            (0, 0, 0),
            "{seed}"
        );
    }
}

/// Time stands still while real I/O is waited for, and jumps when it is not. [R59]
#[test]
fn virtual_time_waits_for_real_io() {
    let _watchdog = watchdog(60);
    let runtime = Runtime::builder().manual();
    let start = runtime.now();
    let server = std_net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    let answering = thread::spawn(move || {
        let (mut stream, _) = server.accept().unwrap();
        stream.read_exact(&mut [0; 4]).unwrap();
        thread::sleep(Duration::from_millis(30));
        stream.write_all(b"pong").unwrap();
    });
    let answer = runtime.block_on(async {
        timeout(3600 * SECOND, async {
            let mut stream = TcpStream::connect(address).await?;
            stream.write_all(b"ping").await?;
            let mut answer = [0; 4];
            stream.read_exact(&mut answer).await?;
            io::Result::Ok(answer)
        })
        .await
    });
    assert_eq!(&answer.expect("no hour has passed").unwrap(), b"pong");
    assert_eq!(runtime.now(), start);
    answering.join().unwrap();
    runtime.block_on(sleep(SECOND));
    assert_eq!(runtime.now() - start, SECOND);
}

/// A thread that wakes an actor ends the wait for I/O, too.
#[test]
fn a_message_from_outside_ends_a_wait_for_io() {
    let _watchdog = watchdog(60);
    let runtime = Runtime::builder().manual();
    let socket = std_net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let waits = UdpSocket::try_from(socket).unwrap();
    let (told, tell) = std::sync::mpsc::channel();
    let sender = thread::spawn(move || {
        let me: Address<Anything> = tell.recv().unwrap();
        thread::sleep(Duration::from_millis(20));
        me.send("wake up");
    });
    runtime.block_on(async move {
        told.send(self_address()).unwrap();
        let mut received = pin!(receive::<Typed<&str>>().fuse());
        let mut buffer = [0; 1];
        let mut io = pin!(waits.recv(&mut buffer).fuse());
        futures::select! {
            Typed(text) = received => assert_eq!(text, "wake up"),
            _ = io => panic!("nobody sends"),
        }
    });
    sender.join().unwrap();
}

/// By hand: a tick says that somebody waits for I/O.
#[test]
fn ticks_and_io() {
    let _watchdog = watchdog(60);
    let runtime = Runtime::builder().manual();
    let socket = std_net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    let socket = UdpSocket::try_from(socket).unwrap();
    let reader = runtime.spawn(async move { socket.recv(&mut [0; 8]).await.map(|_| ()) });
    runtime.run_until_idle();
    assert_eq!(runtime.tick(), Tick::WaitsForIo);
    assert_eq!(runtime.stats().io_waits, 1);
    let sender = std_net::UdpSocket::bind("127.0.0.1:0").unwrap();
    sender.send_to(b"x", address).unwrap();
    while reader.is_alive() {
        runtime.tick();
    }
    assert_eq!(runtime.tick(), Tick::Idle);
}

/// Two runtimes at one socket: it is watched by the one that waited first, and wakes both;
/// when that has ended, the other is told.
#[test]
fn a_socket_outlives_its_first_runtime() {
    let _watchdog = watchdog(60);
    let first = Runtime::builder().workers(1).start().unwrap();
    let second = Runtime::builder().workers(1).start().unwrap();
    let socket = std_net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    let socket = Arc::new(UdpSocket::try_from(socket).unwrap());
    let results = second.inbox::<io::Result<usize>>();
    let receive = |to: Recipient<io::Result<usize>>| {
        let socket = Arc::clone(&socket);
        async move { to.send(socket.recv(&mut [0; 8]).await) }
    };
    let waits = |runtime: &Runtime, count| {
        while runtime.stats().io_waits != count {
            thread::yield_now();
        }
    };
    first.spawn(receive(results.address()));
    waits(&first, 1);
    second.spawn(receive(results.address()));
    waits(&first, 2);
    let sender = std_net::UdpSocket::bind("127.0.0.1:0").unwrap();
    for _ in 0..2 {
        sender.send_to(b"x", address).unwrap();
        assert_eq!(results.recv_timeout(60 * SECOND).unwrap().unwrap(), 1);
    }
    second.spawn(receive(results.address()));
    waits(&first, 1);
    drop(first);
    let error = results.recv_timeout(60 * SECOND).unwrap().unwrap_err();
    assert!(error.to_string().contains("has ended"), "{error}");
    second.spawn(receive(results.address()));
    assert!(results.recv_timeout(60 * SECOND).unwrap().is_err());
}

/// Outside of actors a socket can be made and used, but not waited for.
#[test]
fn outside_of_actors() {
    let _watchdog = watchdog(60);
    let socket = block_on(UdpSocket::bind("127.0.0.1:0")).unwrap();
    let address = socket.local_addr().unwrap();
    block_on(socket.send_to(b"x", address)).unwrap();
    assert_eq!(block_on(socket.recv(&mut [0; 4])).unwrap(), 1);
    let error = block_on(socket.recv(&mut [0; 4])).unwrap_err();
    assert!(error.to_string().contains("outside an actor"), "{error}");
    let text = panic_of(|| block_on(syscall(&socket, Interest::READABLE)));
    assert!(
        text.contains("`syscall` was called outside an actor"),
        "{text}"
    );
}

/// Sockets of async-io are the same in actors as anywhere.
#[uproar::test]
async fn async_io_works_unchanged() {
    let _watchdog = watchdog(60);
    let listener = async_io::Async::<std_net::TcpListener>::bind(([127, 0, 0, 1], 0)).unwrap();
    let address = listener.get_ref().local_addr().unwrap();
    let idle = spawn(until_stop());
    spawn(async move {
        let (stream, _) = listener.accept().await?;
        let (read, mut write) = futures::AsyncReadExt::split(stream);
        futures::io::copy(read, &mut write).await.map(|_| ())
    });
    // One of ours at the other end.
    let mut ours = TcpStream::connect(address).await.unwrap();
    for n in 0..100u8 {
        ours.write_all(&[n]).await.unwrap();
        let mut back = [0];
        ours.read_exact(&mut back).await.unwrap();
        assert_eq!(back, [n]);
    }
    async_io::Timer::after(Duration::from_millis(1)).await;
    idle.send(Stop);
}
