//! uproar: `send`, `ask`, `deliver` into a bounded mailbox, `sleep` and
//! `yield_now`, as its guide shows them. `selective` is in its native form, the
//! unwanted messages stay in the mailbox; `stash=1` takes the common form.
//! "uproar" has `#[actor]` fns with `#[receive] match`; "uproar-plain" has plain
//! async fns that `receive::<T>()`.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use async_io::Async;
use futures_channel::oneshot;
use futures_lite::{AsyncReadExt, AsyncWriteExt};
use peers::{Answer, Behavior, Bounded, Flow, Latch, Net, Out, Params, Place, Sys, echo, latch};
use uproar::Runtime;
use uproar::net::{TcpListener, TcpStream};
use uproar::prelude::*;

#[cfg_attr(not(feature = "c-uproar-plain"), path = "uproar/typed.rs")]
#[cfg_attr(feature = "c-uproar-plain", path = "uproar/plain.rs")]
mod actors;
use actors::{Style, asker, replier, requester, server, worker};

/// Whether a workload's main future is an actor that any worker may run, as it
/// is under tokio, or the main actor itself, on the thread that called `run`.
const MAIN_MAY_MOVE: bool = true;

/// The protocols of the actors, whichever way they are written.
trait Protocols {
    type Worker<B: Behavior>: 'static;
    type Server<S: Answer>: 'static;
}

type Worker<B> = <Style as Protocols>::Worker<B>;
type Server<S> = <Style as Protocols>::Server<S>;

struct Ask(u64, ReplyTo<u64>);

struct Uproar;

impl Sys for Uproar {
    const NAME: &'static str = actors::NAME;
    type Addr<B: Behavior> = Address<Worker<B>>;
    type Server<S: Answer> = Address<Server<S>>;

    fn run<T: Send + 'static>(workers: usize, main: impl Future<Output = T> + Send + 'static) -> T {
        let (tx, rx) = std::sync::mpsc::channel();
        let runtime = Runtime::builder().workers(workers);
        let reason = if MAIN_MAY_MOVE {
            runtime.run(async move {
                let (done, moved) = oneshot::channel();
                spawn(async move {
                    let _ = done.send(main.await);
                });
                let _ = tx.send(moved.await.unwrap());
            })
        } else {
            runtime.run(async move {
                let _ = tx.send(main.await);
            })
        };
        rx.try_recv()
            .unwrap_or_else(|_| panic!("the workload ended: {reason}"))
    }

    async fn spawn<B: Behavior>(b: B, _: Place) -> Self::Addr<B> {
        spawn(worker(b))
    }

    fn tell<B: Behavior>(to: &Self::Addr<B>, m: B::Msg) {
        to.send(m);
    }

    async fn serve<S: Answer>(s: S, _: Place) -> Self::Server<S> {
        spawn(server(s))
    }

    async fn ask<S: Answer>(to: &Self::Server<S>, q: u64) -> u64 {
        to.ask(|reply_to| Ask(q, reply_to)).await.unwrap()
    }

    async fn sleep(d: Duration) {
        sleep(d).await
    }

    async fn own(workload: &str, p: &Params) -> Option<Out> {
        match workload {
            "echo" if p.get("async_io", 0) == 0 => Some(echo::<Ours>(p.clone()).await),
            "echo" => Some(echo::<AsyncIo>(p.clone()).await),
            "selective" if p.get("stash", 0) == 0 => Some(selective(p).await),
            _ => None,
        }
    }
}

/// `uproar::net`.
struct Ours;

impl Net for Ours {
    type Listener = TcpListener;
    type Stream = TcpStream;

    async fn bind() -> io::Result<(TcpListener, SocketAddr)> {
        let l = TcpListener::bind("127.0.0.1:0").await?;
        let at = l.local_addr()?;
        Ok((l, at))
    }
    async fn accept(l: &TcpListener) -> io::Result<TcpStream> {
        let (s, _) = l.accept().await?;
        s.set_nodelay(true)?;
        Ok(s)
    }
    async fn connect(to: SocketAddr) -> io::Result<TcpStream> {
        let s = TcpStream::connect(to).await?;
        s.set_nodelay(true)?;
        Ok(s)
    }
    async fn read(s: &mut TcpStream, b: &mut [u8]) -> io::Result<usize> {
        s.read(b).await
    }
    async fn write_all(s: &mut TcpStream, b: &[u8]) -> io::Result<()> {
        s.write_all(b).await
    }
    fn spawn(f: impl Future<Output = ()> + Send + 'static) {
        spawn(f);
    }
    async fn sleep(d: Duration) {
        sleep(d).await
    }
}

/// async-io's sockets, in actors.
struct AsyncIo;

impl Net for AsyncIo {
    type Listener = Async<std::net::TcpListener>;
    type Stream = Async<std::net::TcpStream>;

    async fn bind() -> io::Result<(Self::Listener, SocketAddr)> {
        let l = Async::<std::net::TcpListener>::bind(([127, 0, 0, 1], 0))?;
        let at = l.get_ref().local_addr()?;
        Ok((l, at))
    }
    async fn accept(l: &Self::Listener) -> io::Result<Self::Stream> {
        let (s, _) = l.accept().await?;
        s.get_ref().set_nodelay(true)?;
        Ok(s)
    }
    async fn connect(to: SocketAddr) -> io::Result<Self::Stream> {
        let s = Async::<std::net::TcpStream>::connect(to).await?;
        s.get_ref().set_nodelay(true)?;
        Ok(s)
    }
    async fn read(s: &mut Self::Stream, b: &mut [u8]) -> io::Result<usize> {
        s.read(b).await
    }
    async fn write_all(s: &mut Self::Stream, b: &[u8]) -> io::Result<()> {
        s.write_all(b).await
    }
    fn spawn(f: impl Future<Output = ()> + Send + 'static) {
        spawn(f);
    }
    async fn sleep(d: Duration) {
        sleep(d).await
    }
}

impl Bounded for Uproar {
    type BAddr<B: Behavior> = Address<Worker<B>>;

    async fn spawn_bounded<B: Behavior>(b: B, cap: usize, _: Place) -> Self::BAddr<B> {
        let bounded = Spawn::new().mailbox(Mailbox::bounded(cap));
        bounded.spawn(worker(b)).unwrap()
    }

    async fn tell_wait<B: Behavior>(to: &Self::BAddr<B>, m: B::Msg) {
        to.deliver(m).await.ok().unwrap();
    }
}

// Selective receive.

struct Go;
struct Junk(#[expect(dead_code, reason = "nobody ever wants one")] u64);
struct Req(u64, Recipient<Reply>);
struct Reply(u64);

struct Echo;

impl Answer for Echo {
    fn answer(&mut self, q: u64) -> u64 {
        q
    }
}

/// `k` messages stay in a mailbox that its owner does not want, then `n`
/// requests and replies. It is the server's mailbox, with messages both ways, or
/// with `client=1` the client's, which asks.
async fn selective(p: &Params) -> Out {
    let (k, n) = (p.get("k", 0), p.get("n", 100_000));
    let (l, done) = latch(1);
    let (full, client): (Recipient<Junk>, Recipient<Go>) = if p.get("client", 0) == 0 {
        let server = spawn(replier());
        let client = spawn(requester(server.recipient(), n, l));
        (server.recipient(), client.recipient())
    } else {
        let server = Uproar::serve(Echo, Place::Here).await;
        let client = spawn(asker(server, n, l));
        (client.recipient(), client.recipient())
    };
    for i in 0..k {
        full.send(Junk(i));
    }
    sleep(Duration::from_millis(100)).await;
    let t = Instant::now();
    client.send(Go);
    done.await.unwrap();
    Out::new(n, t.elapsed().as_secs_f64())
}

fn main() {
    peers::main_bounded::<Uproar>()
}
