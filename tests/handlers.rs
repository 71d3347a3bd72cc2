//! Structs with handlers: sends, calls, replies, hooks, and what is nobody's.

#[macro_use]
mod support;

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use support::{DropCounter, Token, Watch, end_of};
use uproar::prelude::*;
use uproar::{Runtime, RuntimeStats};

struct Add(u64);
struct Get;
struct Fail(&'static str);
struct Panic(&'static str);

/// Adds, and keeps a log of what it was told. `Watch`es stay unread.
#[derive(Default)]
struct Adder {
    sum: u64,
    log: Vec<&'static str>,
    told: Option<Recipient<Vec<&'static str>>>,
    refuses: Option<&'static str>,
    _token: Option<Token>,
}

#[actor(receives(Watch))]
impl Adder {
    async fn on_start(&mut self) -> Result<(), &'static str> {
        self.log.push("start");
        yield_now().await;
        self.refuses.map_or(Ok(()), Err)
    }

    #[receive]
    async fn add(&mut self, Add(n): Add) {
        self.log.push("add");
        yield_now().await;
        self.sum += n;
    }

    #[receive]
    fn get(&mut self, _: Get) -> u64 {
        self.log.push("get");
        self.sum
    }

    #[receive]
    async fn fail(&mut self, Fail(why): Fail) -> Result<u64, &'static str> {
        self.log.push("fail");
        Err(why)
    }

    #[receive]
    async fn panic(&mut self, Panic(why): Panic) -> u64 {
        yield_now().await;
        panic!("{why}")
    }

    async fn on_stop(&mut self, _: &ExitReason) {
        self.log.push("stop");
        if let Some(told) = &self.told {
            told.send(std::mem::take(&mut self.log));
        }
    }
}

struct Item(u64);
struct Collect(usize);
struct Stray(ReplyTo<()>);

/// Receives inside of a handler, and in a method that handlers use.
struct Collector;

#[actor]
impl Collector {
    /// Takes so many items, the odd ones first.
    #[receive]
    async fn collect(&mut self, Collect(items): Collect) -> Vec<u64> {
        let mut collected = Vec::new();
        while collected.len() < items / 2 {
            #[receive]
            match receive().await {
                Item(n) if n % 2 == 1 => collected.push(n),
            }
        }
        while collected.len() < items {
            collected.push(self.any().await);
        }
        collected
    }

    async fn any(&mut self) -> u64 {
        #[receive]
        match receive().await {
            Item(n) => n,
        }
    }

    #[receive]
    fn get(&mut self, _: Get) -> u64 {
        7
    }
}

/// Takes what nobody else takes.
#[derive(Default)]
struct Everything(HashMap<&'static str, usize>);

#[actor(receives(Item))]
impl Everything {
    #[receive]
    fn other(&mut self, any: Envelope) {
        *self.0.entry(any.type_name()).or_default() += 1;
    }

    #[receive]
    fn get(&mut self, _: Get) -> usize {
        self.0.values().sum()
    }
}

struct Quit;
struct Leave(ExitReason);
struct Watched(u32);

/// Watches others, and ends itself.
#[derive(Default)]
struct Warden {
    ended: Vec<ExitReason>,
    asked: Vec<ReplyTo<Vec<ExitReason>>>,
    stopped: Option<Recipient<&'static str>>,
}

#[actor(receives(Watch))]
impl Warden {
    async fn on_start(&mut self) {
        trap_exit(true);
    }

    #[receive]
    async fn watched(&mut self, Watched(count): Watched) {
        for _ in 0..count {
            spawn_monitor(async { Err::<(), _>("watched") });
            spawn_link(async { Err::<(), _>("linked") });
        }
    }

    #[receive]
    fn down(&mut self, Down { reason, .. }: Down) {
        self.ended.push(reason);
        self.tell();
    }

    #[receive]
    fn exited(&mut self, exit: Exit) {
        self.ended.push(exit.reason);
        self.tell();
    }

    #[receive]
    fn ended(&mut self, Typed(reply_to): Typed<ReplyTo<Vec<ExitReason>>>) {
        self.asked.push(reply_to);
        self.tell();
    }

    /// Ends gracefully: after this handler.
    #[receive]
    fn quit(&mut self, _: Quit) -> &'static str {
        send_exit(self_pid(), ExitReason::Shutdown);
        "quits"
    }

    /// Ends at once.
    #[receive]
    async fn leave(&mut self, Leave(reason): Leave) -> u32 {
        exit(reason).await
    }

    fn tell(&mut self) {
        if self.ended.len() == 4 {
            for reply_to in self.asked.drain(..) {
                reply_to.send(self.ended.clone());
            }
        }
    }

    async fn on_stop(&mut self, _: &ExitReason) {
        if let Some(stopped) = &self.stopped {
            stopped.send("stopped");
        }
    }
}

struct Turn(u32);

/// Its handler never has to wait for anything.
struct Busy(Arc<AtomicUsize>);

#[actor]
impl Busy {
    #[receive]
    async fn turn(&mut self, Turn(until): Turn) {
        while self.0.load(Ordering::SeqCst) < until as usize {
            std::future::ready(()).await;
        }
    }
}

struct Bounce(u32, Recipient<u32>);

/// Spawns its like and calls it from a handler.
struct Nest;

#[actor]
impl Nest {
    #[receive]
    async fn bounce(&mut self, Bounce(depth, to): Bounce) -> u32 {
        if depth == 0 {
            return 0;
        }
        let inner: Address<Self> = spawn(Self);
        let deep = inner.call(Bounce(depth - 1, to.clone())).await.unwrap() + 1;
        to.send(deep);
        deep
    }

    #[receive]
    async fn own(&mut self, _: Get) -> Result<u32, AskError> {
        let me = self_address::<Self>();
        me.call(Bounce(1, self_address::<Anything>().recipient()))
            .await
    }
}

/// A reason whose text is checked.
fn text(of: Result<impl Debug, AskError>) -> String {
    match of {
        Err(AskError::Gone(reason)) => reason.to_string(),
        other => panic!("gone, not {other:?}"),
    }
}

both! {
    // [R2][R8] sends and calls are handled in the order in which they came, after `on_start`.
    async fn messages_are_handled_in_order() {
        let adder = spawn(Adder::default());
        for n in 1..=10 {
            adder.send(Add(n));
        }
        let sum = adder.call(Get);
        adder.send(Add(100));
        let added = adder.call(Add(1));
        assert_eq!(sum.await, Ok(55));
        assert_eq!(added.await, Ok(()));
        assert_eq!(adder.call(Get).await, Ok(156));
    }

    // [R35] a call fails in the ways of an ask.
    async fn a_call_is_an_ask() {
        let adder = spawn(Adder::default());
        assert_eq!(adder.call(Get).timeout(Duration::MAX).await, Ok(0));
        let collector = spawn(Collector);
        let late = collector.call(Collect(1)).timeout(Duration::from_millis(1)).await;
        assert_eq!(late, Err(AskError::Timeout));
        // A late reply goes nowhere.
        collector.send(Item(1));
        assert_eq!(collector.call(Get).await, Ok(7));
        let nest = spawn(Nest);
        assert_eq!(nest.call(Get).await, Ok(Err(AskError::CallingSelf)));
    }

    // What a handler returns is the reply, an `Err` too: the actor lives on.
    async fn an_err_is_a_reply() {
        let adder = spawn(Adder::default());
        assert_eq!(adder.call(Fail("no")).await, Ok(Err("no")));
        adder.send(Fail("unheard"));
        adder.send(Add(1));
        assert_eq!(adder.call(Get).await, Ok(1));
    }

    // [R18][R6] a panic ends the actor: who called, and who waits, learns the reason.
    async fn a_panic_ends_the_actor_and_its_calls() {
        let drops = DropCounter::new();
        let me = self_address::<Anything>();
        let adder = spawn(Adder {
            told: Some(me.recipient()),
            _token: Some(drops.token()),
            ..Adder::default()
        });
        let end = end_of(&adder);
        let (panics, waits) = (adder.call(Panic("over")), adder.call(Get));
        assert!(text(panics.await).contains("over"));
        assert!(text(waits.await).contains("over"));
        assert!(matches!(end.await, ExitReason::Panic(_)));
        while adder.is_alive() {
            yield_now().await;
        }
        assert_eq!(adder.call(Get).await, Err(AskError::Gone(ExitReason::NoProcess)));
        assert_eq!(drops.count(), 1);
        // `on_stop` would have told its log.
        assert!(try_receive::<Typed<Vec<&str>>>().is_none());
    }

    // An `Err` of `on_start` is the end, before any message.
    async fn an_actor_may_refuse_to_start() {
        let drops = DropCounter::new();
        let me = self_address::<Anything>();
        let adder = spawn(Adder {
            refuses: Some("no disk"),
            told: Some(me.recipient()),
            _token: Some(drops.token()),
            ..Adder::default()
        });
        adder.send(Add(1));
        let (end, get) = (end_of(&adder), adder.call(Get));
        assert_eq!(text(get.await), "error: no disk");
        assert_eq!(end.await, ExitReason::error("no disk"));
        while adder.is_alive() {
            yield_now().await;
        }
        assert_eq!(drops.count(), 1);
        assert!(try_receive::<Typed<Vec<&str>>>().is_none());
    }

    // [R8][R9] what a handler receives waits for it, also when it comes early.
    async fn a_handler_may_receive() {
        let collector = spawn(Collector);
        for n in 1..=4 {
            collector.send(Item(n));
        }
        // Handled while four items wait.
        assert_eq!(collector.call(Get).await, Ok(7));
        assert_eq!(collector.call(Collect(4)).await, Ok(vec![1, 3, 2, 4]));
        let collected = collector.call(Collect(2));
        let get = collector.call(Get);
        collector.send(Item(6));
        collector.send(Item(5));
        assert_eq!(collected.await, Ok(vec![5, 6]));
        assert_eq!(get.await, Ok(7));
    }

    // [R3] what nobody receives is let go of, and a request in it fails at once.
    async fn a_stray_message_is_dropped() {
        let collector = spawn(Collector);
        let drops = DropCounter::new();
        for _ in 0..3 {
            send(&collector, drops.token());
        }
        let stray = Address::<Collector>::clone(&collector);
        let asked = ask_bare(&stray).await;
        assert_eq!(asked, Err(AskError::NoReply));
        assert_eq!(collector.call(Get).await, Ok(7));
        assert_eq!(drops.count(), 3);
    }

    // An `Envelope` takes all that has no handler and is received nowhere else.
    async fn a_handler_of_any_message_takes_the_rest() {
        let everything = spawn(Everything::default());
        everything.send(Item(1));
        send(&everything, "text");
        send(&everything, 'c');
        send(&everything, "more");
        assert_eq!(everything.call(Get).await, Ok(3));
    }

    // [R52] loops in handlers make room for others.
    async fn a_busy_handler_makes_room() {
        let turns = Arc::new(AtomicUsize::new(0));
        let busy = [spawn(Busy(turns.clone())), spawn(Busy(turns.clone()))];
        let called = busy.each_ref().map(|busy| busy.call(Turn(3)));
        for _ in 0..3 {
            turns.fetch_add(1, Ordering::SeqCst);
            yield_now().await;
        }
        for called in called {
            assert_eq!(called.await, Ok(()));
        }
    }

    // An actor may spawn its like, and call it.
    async fn actors_spawn_and_call_their_like() {
        let me = self_address::<Anything>();
        let nest = spawn(Nest);
        assert_eq!(nest.call(Bounce(5, me.recipient())).await, Ok(5));
        for depth in 1..=5u32 {
            assert_eq!(receive::<Typed<u32>>().await, Typed(depth));
        }
    }

    // Code that is generic over what it spawns takes structs as it takes async fns.
    async fn structs_are_actors_like_any() {
        fn spawn_all<A>(actors: impl IntoIterator<Item = A>) -> Vec<Address<A::Protocol>>
        where
            A: uproar::Actor<Future: Send + 'static, Output: uproar::Outcome>,
        {
            actors.into_iter().map(spawn).collect()
        }

        async fn total<P: Handles<Get, Reply = u64>>(of: &[Address<P>]) -> u64 {
            let mut total = 0;
            for address in of {
                total += address.call(Get).await.unwrap();
            }
            total
        }

        assert_eq!(spawn_all((0..2).map(|_| async {})).len(), 2);
        assert_eq!(total(&spawn_all((0..3).map(|_| Collector))).await, 21);
        let sums = (1..=3).map(|sum| Adder { sum, ..Adder::default() });
        assert_eq!(total(&spawn_all(sums)).await, 6);
    }

    // [R24][R27] told by anyone to shut down, it ends in its own time; by itself too, and
    // then no message is handled any more, though it is there already.
    async fn shutdown_is_a_wish() {
        let me = self_address::<Anything>();
        let (adder, _) = spawn_monitor(Adder {
            told: Some(me.recipient()),
            ..Adder::default()
        });
        assert_eq!(adder.call(Add(1)).await, Ok(()));
        send_exit(&adder, ExitReason::Normal);
        send_exit(&adder, ExitReason::Shutdown);
        let Down { reason, .. } = receive().await;
        assert_eq!(reason, ExitReason::Shutdown);
        let Typed(log) = receive::<Typed<Vec<&str>>>().await;
        assert_eq!(log, ["start", "add", "stop"]);

        let (warden, _) = spawn_monitor(Warden {
            stopped: Some(me.recipient()),
            ..Warden::default()
        });
        let quits = warden.call(Quit);
        let late = warden.call(Leave(ExitReason::Normal));
        assert_eq!(quits.await, Ok("quits"));
        assert_eq!(late.await, Err(AskError::Gone(ExitReason::Shutdown)));
        let Down { reason, .. } = receive().await;
        assert_eq!(reason, ExitReason::Shutdown);
        assert_eq!(receive::<Typed<&str>>().await, Typed("stopped"));
    }

    // [R24][R25][R27] all else ends it as it ends any actor, and `on_stop` does not run.
    async fn other_ends_are_at_once() {
        let me = self_address::<Anything>();
        let adder = || Adder {
            told: Some(me.recipient()),
            ..Adder::default()
        };
        let (one, _) = spawn_monitor(adder());
        assert_eq!(one.call(Get).await, Ok(0));
        send_exit(&one, ExitReason::error("sent"));
        let Down { reason, .. } = receive().await;
        assert_eq!(reason, ExitReason::error("sent"));

        let (two, _) = spawn_monitor(adder());
        assert_eq!(two.call(Get).await, Ok(0));
        kill(&two);
        let Down { reason, .. } = receive().await;
        assert_eq!(reason, ExitReason::Killed);

        let (warden, _) = spawn_monitor(Warden {
            stopped: Some(me.recipient()),
            ..Warden::default()
        });
        let leaves = warden.call(Leave(ExitReason::error("left")));
        assert_eq!(text(leaves.await), "error: left");
        let Down { reason, .. } = receive().await;
        assert_eq!(reason, ExitReason::error("left"));
        assert!(try_receive::<Envelope>().is_none());
    }

    // [R19][R23] the runtime's own messages have handlers like any.
    async fn downs_and_exits_are_handled() {
        let warden = spawn(Warden::default());
        warden.send(Watched(2));
        let ended = warden.ask(|reply_to: ReplyTo<Vec<ExitReason>>| reply_to);
        let mut ended: Vec<_> = ended.await.unwrap().iter().map(ToString::to_string).collect();
        ended.sort();
        assert_eq!(
            ended,
            ["error: linked", "error: linked", "error: watched", "error: watched"]
        );
    }

    // A bounded mailbox counts calls as it counts sends.
    async fn calls_wait_for_room() {
        let adder = Spawn::new()
            .mailbox(Mailbox::bounded(1))
            .spawn(Adder::default())
            .unwrap();
        let calls: Vec<_> = (1..=5).map(|n| adder.call(Add(n))).collect();
        for call in calls {
            assert_eq!(call.await, Ok(()));
        }
        assert_eq!(adder.call(Get).await, Ok(15));
    }
}

/// Asks an actor for what it does not receive, by its bare pid.
async fn ask_bare<P>(of: &Address<P>) -> Result<(), AskError> {
    let pid = of.pid();
    let relay = spawn(async move {
        let Typed(Stray(reply_to)) = receive::<Typed<Stray>>().await;
        send(pid, Stray(reply_to));
    });
    relay.ask(Stray).await
}

fn stats_after(seed: u64, body: impl AsyncFnOnce()) -> RuntimeStats {
    let runtime = Runtime::builder().seed(seed).manual();
    runtime.block_on(body());
    runtime.run_until_idle();
    runtime.stats()
}

// [R3] strays are counted as dead letters; what a handler may still receive is none.
#[test]
fn strays_are_dead_letters() {
    let _watchdog = support::watchdog(60);
    for seed in 0..50 {
        let stats = stats_after(seed, async || {
            let collector = spawn(Collector);
            collector.send(Item(1));
            send(&collector, "text");
            send(&collector, 1.5);
            assert_eq!(collector.call(Get).await, Ok(7));
        });
        assert_eq!((stats.dead_letters, stats.panicked), (2, 0));
    }
}

// [R13] the loop does not walk what it has left for its handlers: a thousand turns
// beside a hundred thousand messages test each of them once.
#[test]
fn what_waits_for_a_handler_costs_the_others_nothing() {
    let _watchdog = support::watchdog(120);
    const BACKLOG: u64 = 100_000;
    const TURNS: u64 = 20_000;
    let runtime = Runtime::builder().workers(1).manual();
    let time = |backlog: u64| {
        let start = std::time::Instant::now();
        runtime.block_on(async {
            let collector = spawn(Collector);
            for n in 0..backlog {
                collector.send(Item(n));
            }
            for _ in 0..TURNS {
                assert_eq!(collector.call(Get).await, Ok(7));
            }
        });
        start.elapsed()
    };
    let without = time(0);
    let with = time(BACKLOG);
    // A walk at each turn would be two thousand million steps.
    assert!(
        with < 20 * without + Duration::from_secs(5),
        "{with:?}, {without:?}"
    );
}

// An actor of this kind is a main actor too, and works from other threads and executors.
#[test]
fn a_struct_runs_as_the_main_actor() {
    let _watchdog = support::watchdog(60);
    struct Main(Arc<Mutex<Option<Address<Main>>>>);

    #[actor]
    impl Main {
        async fn on_start(&mut self) {
            *self.0.lock().unwrap() = Some(self_address());
        }

        #[receive]
        async fn get(&mut self, _: Get) -> u64 {
            7
        }

        #[receive]
        async fn panic(&mut self, Panic(why): Panic) {
            panic!("{why}")
        }
    }

    let place = Arc::default();
    let main = Main(Arc::clone(&place));
    let outside = std::thread::spawn(move || {
        let address = loop {
            let started = place.lock().unwrap().clone();
            match started {
                Some(address) => break address,
                None => std::thread::yield_now(),
            }
        };
        assert_eq!(address.call(Get).wait(), Ok(7));
        assert_eq!(support::block_on(address.call(Get)), Ok(7));
        let get = address.call(Get).timeout(Duration::from_secs(60));
        assert_eq!(get.wait(), Ok(7));
        address.send(Panic("enough"));
    });
    let reason = uproar::run(main);
    assert!(matches!(&reason, ExitReason::Panic(panic) if panic.message() == "enough"));
    outside.join().unwrap();
}

// The ticks of a manual runtime drive a call.
#[test]
fn a_call_can_be_ticked() {
    let runtime = Runtime::builder().manual();
    let adder = runtime.spawn(Adder::default());
    assert_eq!(adder.call(Add(1)).wait_ticking(&runtime, 100), Ok(()));
    assert_eq!(adder.call(Get).wait_ticking(&runtime, 100), Ok(1));
    let busy = runtime.spawn(Busy(Arc::default()));
    let endless = busy.call(Turn(1)).wait_ticking(&runtime, 10);
    assert_eq!(endless, Err(AskError::Timeout));
}
