//! The workloads, generic over the contender.

use std::collections::VecDeque;
use std::hint::black_box;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use futures_channel::oneshot;

use crate::harness::{Latch, Out, Params, Rng, cpu_s, latch, pct, rss_kib};
use crate::sys::{Answer, Behavior, Bounded, Flow, Place, Sys};

pub async fn run<C: Sys>(workload: &str, p: Params) -> Option<Out> {
    if let Some(out) = C::own(workload, &p).await {
        return Some(out);
    }
    Some(match workload {
        "pingpong" => pingpong::<C>(p).await,
        "ask" => ask::<C>(p).await,
        "fan_in" => fan_in::<C>(p).await,
        "tell" => tell::<C>(p).await,
        "ring" => ring::<C>(p).await,
        "spawn" => spawn::<C>(p).await,
        "idle" => idle::<C>(p).await,
        "skynet" => skynet::<C>(p).await,
        "big" => big::<C>(p).await,
        "timers" => timers::<C>(p).await,
        "selective" => selective::<C>(p).await,
        "chain" => chain::<C>(p).await,
        _ => return None,
    })
}

fn secs(t: Instant) -> f64 {
    t.elapsed().as_secs_f64()
}

// 1 and 5. Ping-pong is a ring of two.

struct Hopper<C: Sys> {
    next: Option<C::Addr<Hopper<C>>>,
    latch: Arc<Latch>,
}

enum Hop<C: Sys> {
    Next(C::Addr<Hopper<C>>),
    Token(u64),
}

impl<C: Sys> Behavior for Hopper<C> {
    type Msg = Hop<C>;
    async fn on(&mut self, m: Hop<C>) -> Flow<Hop<C>> {
        match m {
            Hop::Token(0) => self.latch.down(),
            Hop::Token(n) => C::tell(self.next.as_ref().unwrap(), Hop::Token(n - 1)),
            Hop::Next(a) => self.next = Some(a),
        }
        Flow::Go
    }
}

async fn make_ring<C: Sys>(
    places: impl Iterator<Item = Place> + Send,
    latch: &Arc<Latch>,
) -> Vec<C::Addr<Hopper<C>>> {
    let mut ring: Vec<C::Addr<Hopper<C>>> = Vec::new();
    for at in places {
        ring.push(
            C::spawn(
                Hopper {
                    next: None,
                    latch: latch.clone(),
                },
                at,
            )
            .await,
        );
    }
    for i in 0..ring.len() {
        C::tell(&ring[i], Hop::Next(ring[(i + 1) % ring.len()].clone()));
    }
    ring
}

/// `pairs` pairs, `n` round trips in all. `split=1` places the two actors of a
/// pair on different threads, where a system lets one say so.
async fn pingpong<C: Sys>(p: Params) -> Out {
    let (pairs, n, split) = (p.us("pairs", 1), p.get("n", 1_000_000), p.us("split", 0));
    let each = n / pairs as u64;
    let (l, done) = latch(pairs);
    let mut heads = Vec::new();
    for i in 0..pairs {
        let places = [Place::At(i), Place::At(i + split)].into_iter();
        let ring = make_ring::<C>(places, &l).await;
        heads.push(ring[0].clone());
    }
    let t = Instant::now();
    for h in &heads {
        C::tell(h, Hop::Token(2 * each));
    }
    done.await.unwrap();
    Out::new(each * pairs as u64, secs(t))
}

/// `tokens` tokens go round `actors` actors, `n` hops in all.
async fn ring<C: Sys>(p: Params) -> Out {
    let (actors, tokens, n) = (
        p.us("actors", 100),
        p.us("tokens", 1),
        p.get("n", 5_000_000),
    );
    let each = n / tokens as u64;
    let (l, done) = latch(tokens);
    let ring = make_ring::<C>((0..actors).map(|i| Place::At(i * 2 / actors)), &l).await;
    let t = Instant::now();
    for i in 0..tokens {
        C::tell(&ring[i * actors / tokens], Hop::Token(each));
    }
    done.await.unwrap();
    Out::new(each * tokens as u64, secs(t))
}

// 2. Ask.

struct Adder(u64);

impl Answer for Adder {
    fn answer(&mut self, q: u64) -> u64 {
        self.0 += 1;
        q + 1
    }
}

/// One client task asks one server actor `n` times, one after the other.
async fn ask<C: Sys>(p: Params) -> Out {
    let (n, split) = (p.get("n", 1_000_000), p.us("split", 0));
    let server = C::serve(Adder(0), Place::At(split)).await;
    let t = Instant::now();
    let mut x = 0;
    for _ in 0..n {
        x = C::ask(&server, x).await;
    }
    let s = secs(t);
    assert_eq!(x, n);
    Out::new(n, s)
}

// 3 and 4. Many to one, one to one.

struct Sink {
    left: u64,
    sum: u64,
    latch: Arc<Latch>,
}

impl Behavior for Sink {
    type Msg = u64;
    async fn on(&mut self, m: u64) -> Flow<u64> {
        self.sum = self.sum.wrapping_add(m);
        self.left -= 1;
        if self.left == 0 {
            black_box(self.sum);
            self.latch.down();
        }
        Flow::Go
    }
}

struct Source<C: Sys> {
    to: C::Addr<Sink>,
}

impl<C: Sys> Behavior for Source<C> {
    type Msg = u64;
    async fn on(&mut self, n: u64) -> Flow<u64> {
        for i in 0..n {
            C::tell(&self.to, i);
        }
        Flow::Stop
    }
}

async fn many_to_one<C: Sys>(producers: usize, n: u64) -> Out {
    let total = n * producers as u64;
    let (l, done) = latch(1);
    let to = C::spawn(
        Sink {
            left: total,
            sum: 0,
            latch: l,
        },
        Place::At(0),
    )
    .await;
    let mut from = Vec::new();
    for i in 0..producers {
        from.push(C::spawn(Source::<C> { to: to.clone() }, Place::At(i + 1)).await);
    }
    let t = Instant::now();
    for a in &from {
        C::tell(a, n);
    }
    done.await.unwrap();
    Out::new(total, secs(t))
}

/// `producers` actors send `n` messages each to one actor.
async fn fan_in<C: Sys>(p: Params) -> Out {
    many_to_one::<C>(p.us("producers", 8), p.get("n", 500_000)).await
}

/// One actor sends `n` messages to one other.
async fn tell<C: Sys>(p: Params) -> Out {
    many_to_one::<C>(1, p.get("n", 5_000_000)).await
}

struct BSource<C: Bounded> {
    to: C::BAddr<Sink>,
}

impl<C: Bounded> Behavior for BSource<C> {
    type Msg = u64;
    async fn on(&mut self, n: u64) -> Flow<u64> {
        for i in 0..n {
            C::tell_wait(&self.to, i).await;
        }
        Flow::Stop
    }
}

/// As `fan_in`, into a mailbox of `cap` messages, waiting for room.
pub async fn tell_bounded<C: Bounded>(p: Params) -> Out {
    let (producers, n) = (p.us("producers", 1), p.get("n", 1_000_000));
    let total = n * producers as u64;
    let (l, done) = latch(1);
    let sink = Sink {
        left: total,
        sum: 0,
        latch: l,
    };
    let to = C::spawn_bounded(sink, p.us("cap", 64), Place::At(0)).await;
    let mut from = Vec::new();
    for i in 0..producers {
        from.push(C::spawn(BSource::<C> { to: to.clone() }, Place::At(i + 1)).await);
    }
    let t = Instant::now();
    for a in &from {
        C::tell(a, n);
    }
    done.await.unwrap();
    Out::new(total, secs(t))
}

// 6. Spawn and exit.

struct Collector {
    left: u64,
    tx: Option<oneshot::Sender<()>>,
}

enum Collect {
    Batch(u64, oneshot::Sender<()>),
    One,
}

impl Behavior for Collector {
    type Msg = Collect;
    async fn on(&mut self, m: Collect) -> Flow<Collect> {
        match m {
            Collect::One => {
                self.left -= 1;
                if self.left == 0 {
                    let _ = self.tx.take().unwrap().send(());
                }
            }
            Collect::Batch(n, tx) => {
                self.left = n;
                self.tx = Some(tx);
            }
        }
        Flow::Go
    }
}

/// Replies to one message; `keep` says whether it then lives on.
struct Child<C: Sys> {
    state: u64,
    keep: bool,
    c: PhantomData<fn() -> C>,
}

impl<C: Sys> Behavior for Child<C> {
    type Msg = C::Addr<Collector>;
    async fn on(&mut self, to: C::Addr<Collector>) -> Flow<Self::Msg> {
        self.state += 1;
        C::tell(&to, Collect::One);
        if self.keep { Flow::Go } else { Flow::Stop }
    }
}

/// `n` actors in batches of `batch`: spawned, told one message, each replies
/// and exits; the next batch starts when all have replied.
async fn spawn<C: Sys>(p: Params) -> Out {
    let (n, batch) = (p.get("n", 1_000_000), p.get("batch", 1000));
    let col = C::spawn(Collector { left: 0, tx: None }, Place::At(0)).await;
    let mut live = Vec::with_capacity(batch as usize);
    let t = Instant::now();
    let mut left = n;
    while left > 0 {
        let b = batch.min(left);
        left -= b;
        live.clear();
        let (tx, rx) = oneshot::channel();
        C::tell(&col, Collect::Batch(b, tx));
        for i in 0..b {
            let at = Place::At((i * 2 / b) as usize);
            let a = C::spawn(
                Child::<C> {
                    state: i,
                    keep: false,
                    c: PhantomData,
                },
                at,
            )
            .await;
            C::tell(&a, col.clone());
            live.push(a);
        }
        rx.await.unwrap();
    }
    Out::new(n, secs(t))
}

// 7. A million idle actors.

/// `n` actors wait; what they take; then each is sent one message and replies.
async fn idle<C: Sys>(p: Params) -> Out {
    let n = p.get("n", 1_000_000);
    let col = C::spawn(Collector { left: 0, tx: None }, Place::At(0)).await;
    let mut all: Vec<C::Addr<Child<C>>> = Vec::with_capacity(n as usize);
    let before = rss_kib();
    let t = Instant::now();
    for i in 0..n {
        let at = Place::At((i * 2 / n) as usize);
        all.push(
            C::spawn(
                Child::<C> {
                    state: i,
                    keep: true,
                    c: PhantomData,
                },
                at,
            )
            .await,
        );
    }
    let spawn_s = secs(t);
    C::sleep(Duration::from_millis(1500)).await;
    let after = rss_kib();
    let (tx, rx) = oneshot::channel();
    C::tell(&col, Collect::Batch(n, tx));
    let t = Instant::now();
    for a in &all {
        C::tell(a, col.clone());
    }
    rx.await.unwrap();
    let msg_s = secs(t);
    let touched = rss_kib();
    let per = |kib: u64| kib.saturating_sub(before) as f64 * 1024.0 / n as f64;
    Out::new(n, msg_s)
        .with("spawn_ns_per_actor", spawn_s * 1e9 / n as f64)
        .with("idle_bytes_per_actor", per(after))
        .with("touched_bytes_per_actor", per(touched))
        .with("addr_bytes", size_of::<C::Addr<Child<C>>>() as f64)
}

// 8. Skynet.

struct Sky<C: Sys> {
    up: Option<Up<C>>,
    acc: u64,
    left: u32,
}

enum Up<C: Sys> {
    Parent(C::Addr<Sky<C>>),
    Top(oneshot::Sender<u64>),
}

enum SkyMsg<C: Sys> {
    /// (parent, own address, number of the first leaf, leaves below)
    Start(Up<C>, C::Addr<Sky<C>>, u64, u64),
    Sum(u64),
}

impl<C: Sys> Sky<C> {
    fn new() -> Self {
        Sky {
            up: None,
            acc: 0,
            left: 0,
        }
    }
    fn reply(up: Up<C>, sum: u64) {
        match up {
            Up::Parent(a) => C::tell(&a, SkyMsg::Sum(sum)),
            Up::Top(tx) => {
                let _ = tx.send(sum);
            }
        }
    }
}

impl<C: Sys> Behavior for Sky<C> {
    type Msg = SkyMsg<C>;
    async fn on(&mut self, m: SkyMsg<C>) -> Flow<SkyMsg<C>> {
        match m {
            SkyMsg::Start(up, _, num, 1) => {
                Sky::reply(up, num);
                Flow::Stop
            }
            SkyMsg::Start(up, me, num, size) => {
                let top = matches!(up, Up::Top(_));
                self.up = Some(up);
                self.left = 10;
                let below = size / 10;
                for i in 0..10u64 {
                    let at = if top {
                        Place::At(i as usize)
                    } else {
                        Place::Here
                    };
                    let a = C::spawn(Sky::<C>::new(), at).await;
                    let up = Up::Parent(me.clone());
                    C::tell(&a, SkyMsg::Start(up, a.clone(), num + i * below, below));
                }
                Flow::Go
            }
            SkyMsg::Sum(s) => {
                self.acc += s;
                self.left -= 1;
                if self.left > 0 {
                    return Flow::Go;
                }
                Sky::reply(self.up.take().unwrap(), self.acc);
                Flow::Stop
            }
        }
    }
}

/// `n` leaves (a power of ten), fan-out 10; ops are leaves.
async fn skynet<C: Sys>(p: Params) -> Out {
    let n = p.get("n", 1_000_000);
    let t = Instant::now();
    let (tx, rx) = oneshot::channel();
    let a = C::spawn(Sky::<C>::new(), Place::At(0)).await;
    C::tell(&a, SkyMsg::Start(Up::Top(tx), a.clone(), 0, n));
    drop(a);
    let sum = rx.await.unwrap();
    let s = secs(t);
    assert_eq!(sum, n * (n - 1) / 2);
    Out::new(n, s)
}

// 9. Big (Savina).

struct Big<C: Sys> {
    me: u32,
    left: u64,
    all: Option<Arc<[C::Addr<Big<C>>]>>,
    rng: Rng,
    latch: Arc<Latch>,
}

enum BigMsg<C: Sys> {
    All(Arc<[C::Addr<Big<C>>]>),
    Start,
    Ping(u32),
    Pong,
}

impl<C: Sys> Big<C> {
    fn to(&self, i: usize, m: BigMsg<C>) {
        C::tell(&self.all.as_ref().unwrap()[i], m);
    }
    fn ping(&mut self) {
        if self.left == 0 {
            return self.latch.down();
        }
        self.left -= 1;
        let n = self.all.as_ref().unwrap().len() as u64;
        let i = self.rng.below(n) as usize;
        self.to(i, BigMsg::Ping(self.me));
    }
}

impl<C: Sys> Behavior for Big<C> {
    type Msg = BigMsg<C>;
    async fn on(&mut self, m: BigMsg<C>) -> Flow<BigMsg<C>> {
        match m {
            BigMsg::Ping(from) => self.to(from as usize, BigMsg::Pong),
            BigMsg::Pong => self.ping(),
            BigMsg::All(all) => self.all = Some(all),
            BigMsg::Start => self.ping(),
        }
        Flow::Go
    }
}

/// `actors` actors, each sends `n` pings to random ones, one at a time.
async fn big<C: Sys>(p: Params) -> Out {
    let (actors, n) = (p.us("actors", 120), p.get("n", 20_000));
    let (l, done) = latch(actors);
    let mut all = Vec::new();
    for i in 0..actors {
        let rng = Rng::new(i as u64 + 1);
        let b = Big::<C> {
            me: i as u32,
            left: n,
            all: None,
            rng,
            latch: l.clone(),
        };
        all.push(C::spawn(b, Place::At(i)).await);
    }
    let all: Arc<[C::Addr<Big<C>>]> = all.into();
    for a in all.iter() {
        C::tell(a, BigMsg::All(all.clone()));
    }
    let t = Instant::now();
    for a in all.iter() {
        C::tell(a, BigMsg::Start);
    }
    done.await.unwrap();
    Out::new(actors as u64 * n, secs(t))
}

// 10. Timers.

struct Sleeper {
    id: u32,
    ms: u64,
    due: Option<Instant>,
    late_us: Arc<[AtomicU32]>,
    latch: Arc<Latch>,
}

impl Behavior for Sleeper {
    type Msg = bool;
    async fn on(&mut self, start: bool) -> Flow<bool> {
        if start {
            let d = Duration::from_millis(self.ms);
            self.due = Some(Instant::now() + d);
            return Flow::After(d, false);
        }
        let late = Instant::now().saturating_duration_since(self.due.unwrap());
        self.late_us[self.id as usize].store(late.as_micros() as u32, Ordering::Relaxed);
        self.latch.down();
        Flow::Stop
    }
}

/// `n` actors each sleep 1 to `max_ms` ms; lateness from the due time that the
/// actor computed when it went to sleep.
async fn timers<C: Sys>(p: Params) -> Out {
    let (n, max) = (p.us("n", 100_000), p.get("max_ms", 1000));
    let late_us: Arc<[AtomicU32]> = (0..n).map(|_| AtomicU32::new(0)).collect();
    let (l, done) = latch(n);
    let mut rng = Rng::new(42);
    let mut all = Vec::new();
    for i in 0..n {
        let s = Sleeper {
            id: i as u32,
            ms: 1 + rng.below(max),
            due: None,
            late_us: late_us.clone(),
            latch: l.clone(),
        };
        all.push(C::spawn(s, Place::At(i * 2 / n)).await);
    }
    C::sleep(Duration::from_millis(100)).await;
    let (t, c) = (Instant::now(), cpu_s());
    for a in &all {
        C::tell(a, true);
    }
    done.await.unwrap();
    let (s, c) = (secs(t), cpu_s() - c);
    let mut v: Vec<u32> = late_us.iter().map(|x| x.load(Ordering::Relaxed)).collect();
    v.sort_unstable();
    Out::new(n as u64, s)
        .with("late_p50_us", pct(&v, 0.50))
        .with("late_p99_us", pct(&v, 0.99))
        .with("late_p999_us", pct(&v, 0.999))
        .with("late_max_us", pct(&v, 1.0))
        .with("timer_cpu_s", c)
}

// 11. Selective receive, emulated with a stash in the actor. A contender that
// has the real thing brings it in `Sys::own`.

struct Stasher<C: Sys> {
    stash: VecDeque<u64>,
    c: PhantomData<fn() -> C>,
}

enum StashMsg<C: Sys> {
    Junk(u64),
    Req(u64, C::Addr<StashClient<C>>),
}

impl<C: Sys> Behavior for Stasher<C> {
    type Msg = StashMsg<C>;
    async fn on(&mut self, m: StashMsg<C>) -> Flow<StashMsg<C>> {
        match m {
            StashMsg::Junk(x) => self.stash.push_back(x),
            StashMsg::Req(x, from) => C::tell(&from, ClientMsg::Reply(x)),
        }
        Flow::Go
    }
}

struct StashClient<C: Sys> {
    me: Option<C::Addr<StashClient<C>>>,
    to: C::Addr<Stasher<C>>,
    left: u64,
    latch: Arc<Latch>,
}

enum ClientMsg<C: Sys> {
    Start(C::Addr<StashClient<C>>),
    Reply(u64),
}

impl<C: Sys> Behavior for StashClient<C> {
    type Msg = ClientMsg<C>;
    async fn on(&mut self, m: ClientMsg<C>) -> Flow<ClientMsg<C>> {
        match m {
            ClientMsg::Start(me) => self.me = Some(me),
            ClientMsg::Reply(x) => {
                black_box(x);
                self.left -= 1;
            }
        }
        if self.left == 0 {
            self.latch.down();
            return Flow::Stop;
        }
        C::tell(&self.to, StashMsg::Req(self.left, self.me.clone().unwrap()));
        Flow::Go
    }
}

/// `k` messages that the server does not want yet, then `n` request/replies.
async fn selective<C: Sys>(p: Params) -> Out {
    let (k, n) = (p.get("k", 0), p.get("n", 100_000));
    let (l, done) = latch(1);
    let server = Stasher::<C> {
        stash: VecDeque::new(),
        c: PhantomData,
    };
    let to = C::spawn(server, Place::At(0)).await;
    for i in 0..k {
        C::tell(&to, StashMsg::Junk(i));
    }
    let client = StashClient::<C> {
        me: None,
        to,
        left: n,
        latch: l,
    };
    let client = C::spawn(client, Place::At(0)).await;
    C::sleep(Duration::from_millis(100)).await;
    let t = Instant::now();
    C::tell(&client, ClientMsg::Start(client.clone()));
    done.await.unwrap();
    Out::new(n, secs(t))
}

// 12. Latency of a chain under load.

struct Stage<C: Sys> {
    next: Option<C::Addr<Stage<C>>>,
    /// Only the client has one.
    client: Option<ClientState>,
}

struct ClientState {
    left: u64,
    sent: Instant,
    ns: Vec<u32>,
    tx: Option<oneshot::Sender<Vec<u32>>>,
}

enum StageMsg<C: Sys> {
    Next(C::Addr<Stage<C>>),
    Req(u64),
}

impl<C: Sys> Behavior for Stage<C> {
    type Msg = StageMsg<C>;
    async fn on(&mut self, m: StageMsg<C>) -> Flow<StageMsg<C>> {
        let n = match m {
            StageMsg::Req(n) => n,
            StageMsg::Next(a) => {
                self.next = Some(a);
                return Flow::Go;
            }
        };
        if let Some(c) = &mut self.client {
            if n > 0 {
                c.ns.push(c.sent.elapsed().as_nanos().min(u128::from(u32::MAX)) as u32);
            }
            if c.left == 0 {
                let _ = c.tx.take().unwrap().send(std::mem::take(&mut c.ns));
                return Flow::Go;
            }
            c.left -= 1;
            c.sent = Instant::now();
        }
        C::tell(self.next.as_ref().unwrap(), StageMsg::Req(n + 1));
        Flow::Go
    }
}

struct Busy {
    spin: Duration,
    turns: u64,
}

impl Behavior for Busy {
    type Msg = ();
    async fn on(&mut self, _: ()) -> Flow<()> {
        let t = Instant::now();
        while t.elapsed() < self.spin {
            std::hint::spin_loop();
        }
        self.turns += 1;
        Flow::Again(())
    }
}

/// `n` requests, one at a time, through `stages` actors, while `busy` actors
/// work `spin_ns` and yield, for ever.
async fn chain<C: Sys>(p: Params) -> Out {
    let (stages, busy, n) = (p.us("stages", 10), p.us("busy", 100), p.get("n", 1000));
    let spin = Duration::from_nanos(p.get("spin_ns", 5000));
    let (tx, rx) = oneshot::channel();
    let mut all = Vec::new();
    for i in 0..=stages {
        let client = (i == 0).then(|| ClientState {
            left: n,
            sent: Instant::now(),
            ns: Vec::with_capacity(n as usize),
            tx: None,
        });
        all.push(Stage::<C> { next: None, client });
    }
    all[0].client.as_mut().unwrap().tx = Some(tx);
    let mut addrs = Vec::new();
    for (i, s) in all.into_iter().enumerate() {
        addrs.push(C::spawn(s, Place::At(i * 2 / (stages + 1))).await);
    }
    for i in 0..addrs.len() {
        C::tell(
            &addrs[i],
            StageMsg::Next(addrs[(i + 1) % addrs.len()].clone()),
        );
    }
    let mut load = Vec::new();
    for i in 0..busy {
        load.push(C::spawn(Busy { spin, turns: 0 }, Place::At(i)).await);
    }
    for a in &load {
        C::tell(a, ());
    }
    C::sleep(Duration::from_millis(100)).await;
    let t = Instant::now();
    C::tell(&addrs[0], StageMsg::Req(0));
    let mut ns = rx.await.unwrap();
    let s = secs(t);
    ns.sort_unstable();
    Out::new(n, s)
        .with("p50_us", pct(&ns, 0.50) / 1e3)
        .with("p99_us", pct(&ns, 0.99) / 1e3)
        .with("p999_us", pct(&ns, 0.999) / 1e3)
        .with("max_us", pct(&ns, 1.0) / 1e3)
}
