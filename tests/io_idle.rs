//! What nobody waits for costs nothing, and no child inherits it. Alone in its process,
//! since it measures that.
#![cfg(target_os = "linux")]

mod support;

use std::io::Write;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use futures::{AsyncReadExt, AsyncWriteExt, FutureExt};
use support::watchdog;
use uproar::net::{TcpListener, UnixStream};
use uproar::prelude::*;
use uproar::{Runtime, net};

/// One test at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// CPU time of this process.
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields = stat.rsplit(')').next().unwrap().split_whitespace();
    let ticks: u64 = fields
        .skip(11)
        .take(2)
        .map(|n| n.parse::<u64>().unwrap())
        .sum();
    Duration::from_millis(ticks * 10)
}

/// CPU time of a second that begins when the runtime has gone to sleep.
fn cpu_of_a_second() -> Duration {
    thread::sleep(Duration::from_millis(300));
    let before = cpu();
    thread::sleep(Duration::from_secs(1));
    cpu() - before
}

const NEAR_ZERO: Duration = Duration::from_millis(30);

/// Has an actor do something, and keep what it returns.
fn keep<T: Send + 'static>(runtime: &Runtime, make: impl Future<Output = T> + Send + 'static) {
    let (told, done) = std::sync::mpsc::channel();
    runtime.spawn(async move {
        let kept = make.await;
        told.send(()).unwrap();
        let _: Envelope = receive().await;
        drop(kept);
    });
    done.recv().unwrap();
}

/// Case 30.
#[test]
fn what_nobody_waits_for_costs_nothing() {
    let _alone = ALONE.lock();
    let _watchdog = watchdog(60);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    // One that waits in earnest, so that a worker sleeps in the poller.
    runtime.spawn(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        listener.accept().await.map(|_| ())
    });
    // (a) a socket that is registered, and the peer closes;
    keep(&runtime, async {
        let (mut here, there) = UnixStream::pair().unwrap();
        assert!(here.read(&mut [0]).now_or_never().is_none());
        drop(there);
        here
    });
    // (b) a wait is dropped, then data comes; of both kinds, and again and again.
    keep(&runtime, async {
        let (mut here, mut there) = UnixStream::pair().unwrap();
        assert!(here.read(&mut [0]).now_or_never().is_none());
        let (plain, mut other) = std::os::unix::net::UnixStream::pair().unwrap();
        assert!(syscall(&plain, Interest::READABLE).now_or_never().is_none());
        for _ in 0..100 {
            there.write_all(b"x").await.unwrap();
            other.write_all(b"x").unwrap();
            yield_now().await;
        }
        drop(other);
        (here, there, plain)
    });
    let used = cpu_of_a_second();
    assert!(used <= NEAR_ZERO, "{used:?}");
    assert_eq!(runtime.stats().io_waits, 1, "what has come is told once");

    // A reader that comes later sees the end at once.
    let (told, done) = std::sync::mpsc::channel();
    runtime.spawn(async move {
        let (mut here, there) = UnixStream::pair().unwrap();
        assert!(here.read(&mut [0]).now_or_never().is_none());
        drop(there);
        sleep(Duration::from_millis(20)).await;
        told.send(here.read(&mut [0]).await.unwrap()).unwrap();
    });
    assert_eq!(done.recv().unwrap(), 0);
}

/// Case 30 (c): sleeps of less than a millisecond are not rounded to none.
#[test]
fn short_sleeps_do_not_spin() {
    let _alone = ALONE.lock();
    let _watchdog = watchdog(60);
    let runtime = Runtime::builder().workers(1).start().unwrap();
    let rounds = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&rounds);
    runtime.spawn(async move {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let accepts = async { listener.accept().await.map(|_| ()) };
        let sleeps = async {
            loop {
                let start = Instant::now();
                sleep(Duration::from_micros(900)).await;
                assert!(start.elapsed() >= Duration::from_micros(900));
                count.fetch_add(1, Ordering::SeqCst);
            }
        };
        futures::join!(accepts, sleeps).0
    });
    let used = cpu_of_a_second();
    assert!(used <= Duration::from_millis(400), "{used:?}");
    assert!(rounds.load(Ordering::SeqCst) >= 100);
}

/// An idle runtime with sockets uses no CPU.
#[test]
fn an_idle_server_uses_no_cpu() {
    let _alone = ALONE.lock();
    let _watchdog = watchdog(60);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    for _ in 0..100 {
        runtime.spawn(async {
            let (mut here, there) = UnixStream::pair()?;
            let read = here.read(&mut [0; 8]).await.map(|_| ());
            drop(there);
            read
        });
    }
    while runtime.stats().io_waits < 100 {
        thread::yield_now();
    }
    let slices = |runtime: &Runtime| -> u64 {
        runtime
            .stats()
            .workers
            .iter()
            .map(|worker| worker.slices)
            .sum()
    };
    let used = cpu_of_a_second();
    assert!(used <= NEAR_ZERO, "{used:?}");
    assert_eq!(slices(&runtime), slices(&runtime));
}

/// Case 38: what a child program has open is its own.
#[test]
fn children_inherit_nothing() {
    let _alone = ALONE.lock();
    let _watchdog = watchdog(60);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    keep(&runtime, async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (client, server) = futures::join!(net::TcpStream::connect(address), listener.accept());
        let socket = net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
        assert!(listener.accept().now_or_never().is_none());
        (
            listener,
            client.unwrap(),
            server.unwrap(),
            socket,
            UnixStream::pair(),
        )
    });
    let before: Vec<_> = own_descriptors();
    assert!(
        before.iter().any(|link| link.contains("eventpoll")),
        "{before:?}"
    );
    let child = Command::new("sh")
        .args([
            "-c",
            "for fd in /proc/self/fd/*; do readlink $fd; done; true",
        ])
        .output()
        .unwrap();
    let open = String::from_utf8(child.stdout).unwrap();
    for kind in ["eventpoll", "eventfd", "socket", "timerfd"] {
        assert!(!open.contains(kind), "a child has inherited: {open}");
    }
}

fn own_descriptors() -> Vec<String> {
    let all = std::fs::read_dir("/proc/self/fd").unwrap();
    let links = all.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
    links
        .map(|link| link.to_string_lossy().into_owned())
        .collect()
}
