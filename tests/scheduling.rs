//! Who runs when, and where.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use futures::stream::{self, StreamExt};
use support::{end_of, until_stop};
use uproar::prelude::*;
use uproar::{Handle, Runtime, Tick};

struct Peer(Address<Anything>);

struct Ball;

/// Sends the ball on whenever it gets it, for ever, and counts.
async fn player(turns: Arc<AtomicU64>) {
    let Typed(Peer(next)) = receive().await;
    loop {
        let Typed(Ball) = receive().await;
        turns.fetch_add(1, Ordering::Relaxed);
        next.send(Ball);
    }
}

/// A ring of players, with one ball in it.
fn ring(runtime: &Runtime, players: usize, turns: &Arc<AtomicU64>) {
    let ring: Vec<_> = (0..players)
        .map(|_| runtime.spawn(player(Arc::clone(turns))))
        .collect();
    for (i, player) in ring.iter().enumerate() {
        player.send(Peer(ring[(i + 1) % players].clone()));
    }
    ring[0].send(Ball);
}

/// Whatever keeps one worker busy: the others on it still get their turns, and it does.
fn others_get_their_turns(busy: &str, start: impl Fn(&Runtime, &Arc<AtomicU64>)) {
    let _watchdog = support::watchdog(120);
    let runtime = Runtime::builder().workers(1).start().unwrap();
    let turns = Arc::new(AtomicU64::new(0));
    start(&runtime, &turns);
    while turns.load(Ordering::Relaxed) == 0 {
        thread::yield_now();
    }
    let counted = Arc::clone(&turns);
    // One that waits for messages from outside, one that yields, one that sleeps; each
    // notes how many turns the busy ones had between two of its own.
    let gap = Arc::new(AtomicU64::new(0));
    let longest = Arc::clone(&gap);
    let yields = runtime.spawn(async move {
        let mut last = counted.load(Ordering::Relaxed);
        for _ in 0..100 {
            yield_now().await;
            let now = counted.load(Ordering::Relaxed);
            longest.fetch_max(now - last, Ordering::Relaxed);
            last = now;
        }
    });
    let sleeps = runtime.spawn(async {
        for _ in 0..10 {
            sleep(Duration::from_millis(1)).await;
        }
    });
    let echo = runtime.spawn(async {
        loop {
            let Typed(reply_to) = receive::<Typed<ReplyTo<()>>>().await;
            reply_to.send(());
        }
    });
    for _ in 0..10 {
        let minute = Duration::from_secs(60);
        let asked = echo.ask(|reply_to: ReplyTo<()>| reply_to).timeout(minute);
        asked.wait().unwrap();
        let late = runtime.spawn(until_stop());
        let end = end_of(&late);
        late.send(support::Stop);
        assert_eq!(support::block_on(end), ExitReason::Normal);
    }
    for actor in [yields, sleeps] {
        while actor.is_alive() {
            thread::yield_now();
        }
    }
    let gap = gap.load(Ordering::Relaxed);
    assert!(gap <= 100_000, "{busy}: {gap} turns in between");
    let before = turns.load(Ordering::Relaxed);
    while turns.load(Ordering::Relaxed) == before {
        thread::yield_now();
    }
}

// [R52]
#[test]
fn a_pair_in_ping_pong_starves_nobody() {
    others_get_their_turns("a pair", |runtime, turns| ring(runtime, 2, turns));
}

// [R52]
#[test]
fn a_ring_of_three_starves_nobody() {
    others_get_their_turns("a ring", |runtime, turns| ring(runtime, 3, turns));
}

// [R52] [R4]
#[test]
fn an_actor_that_sends_to_itself_starves_nobody() {
    others_get_their_turns("itself", |runtime, turns| ring(runtime, 1, turns));
}

// [R52] its queue is never empty.
#[test]
fn an_actor_that_always_has_messages_starves_nobody() {
    others_get_their_turns("many messages", |runtime, turns| {
        let turns = Arc::clone(turns);
        runtime.spawn(async move {
            let me = self_address::<Anything>();
            (0..100).for_each(|_| me.send(Ball));
            loop {
                let Typed(Ball) = receive().await;
                turns.fetch_add(1, Ordering::Relaxed);
                me.send(Ball);
            }
        });
    });
}

// [R52]
#[test]
fn an_actor_that_yields_for_ever_starves_nobody() {
    others_get_their_turns("yields", |runtime, turns| {
        let turns = Arc::clone(turns);
        runtime.spawn(async move {
            loop {
                yield_now().await;
                turns.fetch_add(1, Ordering::Relaxed);
            }
        });
    });
}

#[actor]
async fn reads_a_stream(turns: Arc<AtomicU64>) {
    let mut ready = stream::repeat(1);
    while let Some(n) = ready.next().await {
        turns.fetch_add(n, Ordering::Relaxed);
    }
}

// [R52] a loop over other libraries' ready futures, in an `#[actor]` function.
#[test]
fn an_actor_with_a_ready_stream_starves_nobody() {
    others_get_their_turns("a ready stream", |runtime, turns| {
        runtime.spawn(reads_a_stream(Arc::clone(turns)));
    });
}

#[actor]
async fn tries_for_ever(turns: Arc<AtomicU64>) {
    loop {
        let none = receive::<Typed<u8>>().timeout(Duration::ZERO).await;
        assert!(none.is_err());
        turns.fetch_add(1, Ordering::Relaxed);
    }
}

// [R52] zero timeouts do not wait; the loop around them lets others run.
#[test]
fn an_actor_with_zero_timeouts_starves_nobody() {
    others_get_their_turns("zero timeouts", |runtime, turns| {
        runtime.spawn(tries_for_ever(Arc::clone(turns)));
    });
}

// [R52] work that awaits nothing spends reductions by itself.
#[test]
fn an_actor_that_consumes_reductions_starves_nobody() {
    others_get_their_turns("consume_reductions", |runtime, turns| {
        let turns = Arc::clone(turns);
        runtime.spawn(async move {
            loop {
                turns.fetch_add(1, Ordering::Relaxed);
                consume_reductions(7).await;
            }
        });
    });
}

// [R52] asks and delivers that are answered at once.
#[test]
fn a_pair_that_asks_and_delivers_starves_nobody() {
    others_get_their_turns("asks", |runtime, turns| {
        let server = Spawn::new().mailbox(Mailbox::bounded(1));
        let server = runtime.spawn_with(&server, async {
            loop {
                let Typed(reply_to) = receive::<Typed<ReplyTo<()>>>().await;
                reply_to.send(());
                let Typed(Ball) = receive().await;
            }
        });
        let (server, turns) = (server.unwrap(), Arc::clone(turns));
        runtime.spawn(async move {
            loop {
                server.ask(|reply_to: ReplyTo<()>| reply_to).await.unwrap();
                server.deliver(Ball).await.unwrap();
                turns.fetch_add(1, Ordering::Relaxed);
            }
        });
    });
}

// [R52] the number of reductions is the builder's, and a slice ends when they are spent.
#[test]
fn a_slice_has_so_many_reductions() {
    for reductions in [1u32, 10, 128, 1000] {
        let runtime = Runtime::builder()
            .workers(1)
            .reductions(reductions)
            .manual();
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        runtime.spawn(async move {
            loop {
                consume_reductions(1).await;
                counted.fetch_add(1, Ordering::Relaxed);
            }
        });
        for slices in 1..=5 {
            assert_eq!(runtime.tick(), Tick::Ran);
            let count = count.load(Ordering::Relaxed);
            assert_eq!(count, slices * reductions as usize, "{reductions}");
        }
        let stats = runtime.stats();
        assert_eq!(stats.workers[0].slices, 5);
        assert_eq!(stats.workers[0].reductions, 5 * u64::from(reductions));
    }
}

// [R55] by the figures: all workers have run some of them.
#[test]
fn a_burst_of_spawns_spreads_over_all_workers() {
    let _watchdog = support::watchdog(120);
    const WORKERS: usize = 4;
    let runtime = Runtime::builder().workers(WORKERS).start().unwrap();
    let ran: Arc<[AtomicUsize; WORKERS]> = Arc::default();
    // The machine may have fewer cores, and may be busy: then it takes several bursts
    // until each worker had its turn.
    let mut bursts = 0;
    while ran.iter().any(|ran| ran.load(Ordering::SeqCst) == 0) {
        bursts += 1;
        assert!(bursts <= 100, "{ran:?}");
        let ran = Arc::clone(&ran);
        let burst = runtime.spawn(async move {
            let done = self_address::<Anything>();
            for _ in 0..1000 {
                let (ran, done) = (Arc::clone(&ran), done.clone());
                spawn(async move {
                    let start = Instant::now();
                    while start.elapsed() < Duration::from_micros(20) {}
                    ran[worker_id().unwrap().index()].fetch_add(1, Ordering::SeqCst);
                    done.send(());
                });
            }
            for _ in 0..1000 {
                let Typed(()) = receive().await;
            }
        });
        while burst.is_alive() {
            thread::yield_now();
        }
    }
    let stats = runtime.stats();
    assert!(stats.workers.iter().all(|worker| worker.slices > 0));
    let steals: u64 = stats.workers.iter().map(|worker| worker.steals).sum();
    let stolen: u64 = stats.workers.iter().map(|worker| worker.stolen).sum();
    assert!(steals > 0 && steals == stolen);
    assert_eq!(
        ran.iter().map(|r| r.load(Ordering::SeqCst)).sum::<usize>(),
        bursts * 1000
    );
}

/// How long it took until all actors that a stuck one had queued behind itself ran
/// elsewhere.
fn taken_over(runtime: &Runtime, behind: usize) -> Duration {
    let (told, got) = std::sync::mpsc::channel();
    runtime.spawn(async move {
        let home = worker_id().unwrap();
        let ran = Arc::new(AtomicUsize::new(0));
        for _ in 0..behind {
            let ran = Arc::clone(&ran);
            spawn(async move {
                assert_ne!(worker_id().unwrap(), home, "that one is stuck");
                ran.fetch_add(1, Ordering::SeqCst);
            });
        }
        // Stuck in its own code, until someone has run them all.
        let start = Instant::now();
        while ran.load(Ordering::SeqCst) < behind {
            assert!(
                start.elapsed() < Duration::from_secs(30),
                "nobody took over"
            );
            std::hint::spin_loop();
        }
        told.send(start.elapsed()).unwrap();
    });
    got.recv().expect("it was taken over")
}

// [R55] also the next slot, though nobody was woken for it. Real time is the subject: it
// should take 10 ms, and is allowed a hundred times that on a busy machine.
#[test]
fn the_queue_of_a_stuck_worker_is_taken_over() {
    let _watchdog = support::watchdog(120);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    for behind in [1, 2, 3, 50] {
        for _ in 0..5 {
            let took = taken_over(&runtime, behind);
            assert!(took < Duration::from_secs(1), "{behind}: {took:?}");
        }
    }
    // The figures have it.
    taken_over(&runtime, 1);
    let stats = runtime.stats();
    assert!(
        stats
            .workers
            .iter()
            .map(|worker| worker.stolen)
            .sum::<u64>()
            > 0
    );
}

// [R55] the same when the other worker is busy itself and never idle.
#[test]
fn a_busy_worker_takes_over_too() {
    let _watchdog = support::watchdog(120);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let over = Arc::new(AtomicBool::new(false));
    for _ in 0..4 {
        let over = Arc::clone(&over);
        runtime.spawn(async move {
            while !over.load(Ordering::Relaxed) {
                yield_now().await;
            }
        });
    }
    for behind in [1, 2, 50] {
        for _ in 0..5 {
            let took = taken_over(&runtime, behind);
            assert!(took < Duration::from_secs(1), "{behind}: {took:?}");
        }
    }
    over.store(true, Ordering::Relaxed);
}

// [R52] [R62] an overlong slice is counted: also the first one after a long sleep.
#[test]
fn an_overlong_slice_is_counted() {
    let _watchdog = support::watchdog(120);
    let runtime = Runtime::builder().workers(1).start().unwrap();
    let overlong = |handle: &Handle| handle.stats().workers[0].overlong_slices;
    for _ in 0..3 {
        let before = overlong(&runtime);
        let handle = runtime.handle();
        let actor = runtime.spawn(async move {
            // Much longer than the watch sleeps, then in its own code until it is noticed.
            sleep(Duration::from_millis(300)).await;
            while overlong(&handle) == before {
                std::hint::spin_loop();
            }
        });
        while actor.is_alive() {
            thread::yield_now();
        }
    }
}

// [R51] an actor that many threads wake at once is polled by one at a time, and no wake-up
// is lost.
#[test]
fn wakes_from_many_threads() {
    let _watchdog = support::watchdog(300);
    const THREADS: usize = 4;
    const WAKES: usize = if cfg!(debug_assertions) {
        20_000
    } else {
        200_000
    };
    for workers in [1, 3] {
        let runtime = Runtime::builder().workers(workers).start().unwrap();
        let inbox = runtime.inbox::<std::task::Waker>();
        let to = inbox.address();
        let inside = Arc::new(AtomicBool::new(false));
        let count = Arc::new(AtomicUsize::new(0));
        let (entered, wanted) = (Arc::clone(&inside), Arc::clone(&count));
        let mut first = true;
        let actor = runtime.spawn(std::future::poll_fn(move |cx| {
            assert!(!entered.swap(true, Ordering::SeqCst), "polled by two");
            if std::mem::take(&mut first) {
                to.send(cx.waker().clone());
            }
            let all = wanted.load(Ordering::SeqCst) == THREADS * WAKES;
            entered.store(false, Ordering::SeqCst);
            if all {
                std::task::Poll::Ready(())
            } else {
                std::task::Poll::Pending
            }
        }));
        let waker = inbox.recv_timeout(Duration::from_secs(60)).unwrap();
        let threads: Vec<_> = (0..THREADS)
            .map(|_| {
                let (waker, count) = (waker.clone(), Arc::clone(&count));
                thread::spawn(move || {
                    for _ in 0..WAKES {
                        count.fetch_add(1, Ordering::SeqCst);
                        waker.wake_by_ref();
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        // If the last wake-up is lost, this is for ever.
        while actor.is_alive() {
            thread::yield_now();
        }
        assert!(!inside.load(Ordering::SeqCst));
    }
}

// [R51] a runnable actor is in one queue: so many slices as it was made runnable, exactly.
#[test]
fn each_wake_up_is_one_slice() {
    for seed in 0..100 {
        let runtime = Runtime::builder().seed(seed).workers(4).manual();
        let actors: Vec<_> = (0..20).map(|_| runtime.spawn(until_stop())).collect();
        let mut ticks = 0;
        for _ in 0..5 {
            for actor in &actors {
                // Several messages are one wake-up.
                actor.send(1);
                actor.send(2);
            }
            while runtime.tick() == Tick::Ran {
                ticks += 1;
            }
        }
        assert_eq!(ticks, 20 * 5);
    }
}

// [R62] the figures are exact on the manual runtime, and reading them changes nothing.
#[test]
fn figures_are_exact_and_can_be_reset() {
    let runtime = Runtime::builder().workers(3).manual();
    let figures = || {
        let stats = runtime.stats();
        let sum = |of: fn(&uproar::WorkerStats) -> u64| stats.workers.iter().map(of).sum::<u64>();
        [
            stats.live,
            stats.spawned,
            stats.exited,
            stats.panicked,
            stats.dead_letters,
            stats.mailbox_drops,
            stats.timers as u64,
            sum(|worker| worker.slices),
            sum(|worker| worker.messages),
            stats.workers.iter().map(|w| w.runnable as u64).sum(),
        ]
    };
    assert_eq!(figures(), [0; 10]);
    let actor = runtime.spawn(async {
        for _ in 0..5 {
            let Typed(Ball) = receive().await;
        }
        sleep(Duration::from_secs(1)).await;
    });
    let dead = runtime.spawn(async { panic!("at once") });
    assert_eq!(figures(), [2, 2, 0, 0, 0, 0, 0, 0, 0, 2]);
    runtime.run_until_idle();
    assert_eq!(figures(), [1, 2, 1, 1, 0, 0, 0, 2, 0, 0]);
    for _ in 0..5 {
        actor.send(Ball);
        dead.send(Ball);
    }
    for _ in 0..10 {
        assert_eq!(figures(), [1, 2, 1, 1, 5, 0, 0, 2, 0, 1]);
    }
    runtime.run_until_idle();
    assert_eq!(figures(), [1, 2, 1, 1, 5, 0, 1, 3, 5, 0]);
    runtime.reset_stats();
    // What is a level stays.
    assert_eq!(figures(), [1, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
    runtime.advance(Duration::from_secs(1));
    assert_eq!(figures(), [0, 0, 1, 0, 0, 0, 0, 1, 0, 0]);
    assert_eq!(runtime.stats().uptime, Duration::from_secs(1));
    assert_eq!(runtime.workers(), [0, 1, 2].map(WorkerId::new));
}

// [R62] also on threads, when all is still.
#[test]
fn figures_add_up_on_threads() {
    let _watchdog = support::watchdog(120);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let actors: Vec<_> = (0..100)
        .map(|_| {
            runtime.spawn(async {
                for _ in 0..10 {
                    let Typed(Ball) = receive().await;
                }
                spawn(async {});
            })
        })
        .collect();
    for _ in 0..10 {
        actors.iter().for_each(|actor| actor.send(Ball));
    }
    while runtime.stats().live > 0 {
        thread::yield_now();
    }
    let stats = runtime.stats();
    assert_eq!((stats.spawned, stats.exited, stats.panicked), (200, 200, 0));
    assert_eq!(stats.workers.iter().map(|w| w.messages).sum::<u64>(), 1000);
    assert_eq!((stats.dead_letters, stats.mailbox_drops), (0, 0));
    runtime.reset_stats();
    let stats = runtime.stats();
    assert_eq!((stats.spawned, stats.exited), (0, 0));
    assert_eq!(stats.workers.iter().map(|w| w.messages).sum::<u64>(), 0);
}
