//! TCP echo: a server and its clients in one program, over the loopback, on the same
//! workers. Each contender brings its own listener and streams.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::harness::{Out, Params, cpu_s, latch, pct};

/// What a contender provides for it.
pub trait Net: Sized + 'static {
    type Listener: Send + 'static;
    type Stream: Send + 'static;

    fn bind() -> impl Future<Output = io::Result<(Self::Listener, SocketAddr)>> + Send;
    fn accept(l: &Self::Listener) -> impl Future<Output = io::Result<Self::Stream>> + Send;
    fn connect(to: SocketAddr) -> impl Future<Output = io::Result<Self::Stream>> + Send;
    fn read(s: &mut Self::Stream, b: &mut [u8]) -> impl Future<Output = io::Result<usize>> + Send;
    fn write_all(s: &mut Self::Stream, b: &[u8]) -> impl Future<Output = io::Result<()>> + Send;
    /// A task, or an actor.
    fn spawn(f: impl Future<Output = ()> + Send + 'static);
    fn sleep(d: Duration) -> impl Future<Output = ()> + Send;
}

async fn serve<N: Net>(mut s: N::Stream) {
    let mut b = [0; 4096];
    while let Ok(n @ 1..) = N::read(&mut s, &mut b).await {
        if N::write_all(&mut s, &b[..n]).await.is_err() {
            return;
        }
    }
}

async fn talk<N: Net>(s: &mut N::Stream, n: u64, bytes: usize, us: &mut Vec<u32>) {
    let (out, mut back) = (vec![7; bytes], vec![0; bytes]);
    for _ in 0..n {
        let t = Instant::now();
        N::write_all(s, &out).await.unwrap();
        let mut got = 0;
        while got < bytes {
            got += match N::read(s, &mut back[got..]).await.unwrap() {
                0 => panic!("the server hung up"),
                n => n,
            };
        }
        us.push((t.elapsed().as_nanos() / 100).min(u128::from(u32::MAX)) as u32);
    }
}

/// `conns` connections make `n` round trips of `bytes` bytes between them, each one at a
/// time.
pub async fn echo<N: Net>(p: Params) -> Out {
    let (conns, n) = (p.get("conns", 1), p.get("n", 200_000));
    let bytes = p.us("bytes", 64);
    let (l, at) = N::bind().await.unwrap();
    N::spawn(async move {
        loop {
            let s = N::accept(&l).await.unwrap();
            N::spawn(serve::<N>(s));
        }
    });
    let mut streams = Vec::new();
    for _ in 0..conns {
        let mut s = N::connect(at).await.unwrap();
        // Warm, and accepted.
        talk::<N>(&mut s, 2, bytes, &mut Vec::new()).await;
        streams.push(s);
    }
    let all = Arc::new(Mutex::new(Vec::with_capacity(n as usize)));
    let (down, done) = latch(conns as usize);
    let each = n / conns;
    N::sleep(Duration::from_millis(50)).await;
    let (t, c) = (Instant::now(), cpu_s());
    for mut s in streams {
        let (all, down) = (all.clone(), down.clone());
        N::spawn(async move {
            let mut us = Vec::with_capacity(each as usize);
            talk::<N>(&mut s, each, bytes, &mut us).await;
            all.lock().unwrap().append(&mut us);
            down.down();
        });
    }
    done.await.unwrap();
    let (s, c) = (t.elapsed().as_secs_f64(), cpu_s() - c);
    let mut us = std::mem::take(&mut *all.lock().unwrap());
    us.sort_unstable();
    Out::new(each * conns, s)
        .with("p50_us", pct(&us, 0.50) / 10.0)
        .with("p99_us", pct(&us, 0.99) / 10.0)
        .with("p999_us", pct(&us, 0.999) / 10.0)
        .with("echo_cpu_s", c)
}
