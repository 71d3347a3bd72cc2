//! Real threads, many rounds: no wake-up is lost, no message is lost or doubled, no
//! order is broken. The numbers are those of a release build; a debug build does fewer.

mod deadlines;
#[path = "../support/mod.rs"]
mod support;
mod wakes;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use support::{DropCounter, Token, block_on, end_of, until_stop};
use uproar::Runtime;
use uproar::prelude::*;

const fn rounds(release: u64) -> u64 {
    if cfg!(debug_assertions) {
        release / 10
    } else {
        release
    }
}

struct Pong;

struct Counted(#[expect(dead_code)] Token);

struct Numbered {
    sender: usize,
    number: u64,
}

// [R1] eight senders, plain threads and actors, to one actor.
#[test]
fn many_senders_to_one() {
    let _watchdog = support::watchdog(600);
    const SENDERS: usize = 8;
    const EACH: u64 = rounds(1_000_000);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let receiver = runtime.spawn(async {
        let mut next = [0; SENDERS];
        for _ in 0..SENDERS as u64 * EACH {
            let Typed(Numbered { sender, number }) = receive().await;
            assert_eq!(number, next[sender], "of sender {sender}");
            next[sender] += 1;
        }
        assert_eq!(next, [EACH; SENDERS]);
    });
    let end = end_of(&receiver);
    let threads: Vec<_> = (0..SENDERS)
        .filter_map(|sender| {
            let to = receiver.clone();
            if sender % 2 == 0 {
                runtime.spawn(async move {
                    for number in 0..EACH {
                        to.send(Numbered { sender, number });
                        consume_reductions(1).await;
                    }
                });
                return None;
            }
            Some(thread::spawn(move || {
                for number in 0..EACH {
                    to.send(Numbered { sender, number });
                }
            }))
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(block_on(end), ExitReason::Normal);
    assert_eq!(runtime.stats().dead_letters, 0);
}

// [R1] [R8] the same with receives that skip: half of the senders are heard last.
#[test]
fn many_senders_to_one_that_selects() {
    struct Late(Numbered);

    let _watchdog = support::watchdog(600);
    const SENDERS: usize = 4;
    const EACH: u64 = rounds(200_000);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let receiver = runtime.spawn(async {
        let mut next = [0; SENDERS];
        for n in 0..SENDERS as u64 * EACH {
            let Numbered { sender, number } = if n < SENDERS as u64 / 2 * EACH {
                let Typed(early) = receive().await;
                early
            } else {
                let Typed(Late(late)) = receive().await;
                late
            };
            assert_eq!(number, next[sender], "of sender {sender}");
            next[sender] += 1;
        }
    });
    let end = end_of(&receiver);
    let threads: Vec<_> = (0..SENDERS)
        .map(|sender| {
            let to = receiver.clone();
            thread::spawn(move || {
                for number in 0..EACH {
                    let message = Numbered { sender, number };
                    if sender % 2 == 0 {
                        to.send(message);
                    } else {
                        to.send(Late(message));
                    }
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(block_on(end), ExitReason::Normal);
}

// [R6] [R18] storms of actors that come and go, with messages on their way.
#[test]
fn spawns_and_exits_from_many_threads() {
    let _watchdog = support::watchdog(600);
    const THREADS: usize = 4;
    const EACH: u64 = rounds(100_000);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let drops = DropCounter::new();
    let threads: Vec<_> = (0..THREADS)
        .map(|_| {
            let (runtime, drops) = (runtime.handle(), drops.clone());
            thread::spawn(move || {
                for n in 0..EACH {
                    let own = drops.token();
                    let child = (n % 4 == 0).then(|| drops.token());
                    let actor = runtime.spawn(async move {
                        let _own = own;
                        if let Some(child) = child {
                            spawn(async move { drop(child) });
                        }
                        if n % 2 == 0 {
                            let Typed(Pong) = receive().await;
                        }
                    });
                    actor.send(Counted(drops.token()));
                    actor.send(Pong);
                    actor.send(Counted(drops.token()));
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    while runtime.stats().live > 0 {
        thread::yield_now();
    }
    let all = THREADS as u64 * (3 * EACH + EACH.div_ceil(4));
    drops.wait_for(all as usize);
    assert_eq!(drops.count() as u64, all);
    let stats = runtime.stats();
    let actors = THREADS as u64 * (EACH + EACH.div_ceil(4));
    assert_eq!((stats.spawned, stats.exited), (actors, actors));
    assert!(runtime.processes().is_empty());
}

// [R6] the ends of actors race with the shutdown of the runtime.
#[test]
fn exits_that_meet_the_shutdown() {
    let _watchdog = support::watchdog(600);
    for _ in 0..rounds(2_000) {
        let runtime = Runtime::builder().workers(2).start().unwrap();
        let drops = DropCounter::new();
        for n in 0..20 {
            let token = drops.token();
            let actor = runtime.spawn(async move {
                let _token = token;
                if n % 2 == 0 {
                    yield_now().await;
                } else {
                    until_stop().await;
                }
            });
            actor.send(Counted(drops.token()));
        }
        drop(runtime);
        assert_eq!(drops.count(), 40);
    }
}

// [R35] asks from many threads, awaited there and in actors.
#[test]
fn asks_from_many_threads() {
    let _watchdog = support::watchdog(600);
    const EACH: u64 = rounds(50_000);
    type Square = (u64, ReplyTo<u64>);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let servers: Vec<_> = (0..2)
        .map(|_| {
            runtime.spawn(async {
                loop {
                    let Typed((n, reply_to)) = receive::<Typed<Square>>().await;
                    reply_to.send(n * n);
                }
            })
        })
        .collect();
    let mut ends = Vec::new();
    for i in 0..4usize {
        let server = servers[i % 2].clone();
        let asker = runtime.spawn(async move {
            for n in 0..EACH {
                let asked = server.ask(|reply_to: ReplyTo<u64>| (n, reply_to));
                assert_eq!(asked.await, Ok(n * n));
            }
        });
        ends.push(end_of(&asker));
    }
    let threads: Vec<_> = (0..2usize)
        .map(|i| {
            let server = servers[i].clone();
            thread::spawn(move || {
                for n in 0..EACH / 5 {
                    let asked = server.ask(|reply_to: ReplyTo<u64>| (n, reply_to));
                    let limit = Duration::from_secs(300);
                    assert_eq!(block_on(asked.timeout(limit)), Ok(n * n));
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    for end in ends {
        assert_eq!(block_on(end), ExitReason::Normal);
    }
    assert_eq!(runtime.stats().timers, 0);
}

// [R35] servers that end under their askers: each ask ends, with a reply or with `Gone`.
#[test]
fn asks_that_meet_the_end_of_the_server() {
    let _watchdog = support::watchdog(600);
    const ROUNDS: u64 = rounds(50_000);
    type Request = ReplyTo<u64>;
    let runtime = Runtime::builder().workers(2).start().unwrap();
    for round in 0..ROUNDS {
        let server = runtime.spawn(async move {
            for _ in 0..round % 3 {
                let Typed(reply_to) = receive::<Typed<Request>>().await;
                reply_to.send(round);
            }
            Err::<(), _>("over")
        });
        for _ in 0..3 {
            match server.ask(|reply_to: Request| reply_to).wait() {
                Ok(n) => assert_eq!(n, round),
                Err(AskError::Gone(ExitReason::NoProcess)) => {}
                Err(AskError::Gone(reason)) => assert_eq!(reason, ExitReason::error("over")),
                Err(other) => panic!("{other:?}"),
            }
        }
    }
}

// [R60] senders that wait for room, of which some give up.
#[test]
fn delivers_from_many_through_a_small_mailbox() {
    let _watchdog = support::watchdog(600);
    const SENDERS: usize = 6;
    const EACH: u64 = rounds(50_000);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let delivered = Arc::new(AtomicUsize::new(0));
    let how = Spawn::new().mailbox(Mailbox::bounded(3));
    let receiver = runtime.spawn_with(&how, async {
        let mut last = [None; SENDERS];
        let mut count = 0usize;
        loop {
            let Typed(Numbered { sender, number }) = receive().await;
            if number == u64::MAX {
                break;
            }
            assert!(last[sender] < Some(number), "of sender {sender}");
            last[sender] = Some(number);
            count += 1;
        }
        Err::<(), _>(count.to_string())
    });
    let receiver = receiver.unwrap();
    let mut senders = Vec::new();
    for sender in 0..SENDERS {
        let (to, delivered) = (receiver.clone(), Arc::clone(&delivered));
        senders.push(runtime.spawn(async move {
            for number in 0..EACH {
                let message = Numbered { sender, number };
                let deliver = std::pin::pin!(to.deliver(message));
                if sender % 2 == 0 {
                    deliver.await.unwrap();
                } else {
                    // Gives up when others have run meanwhile.
                    let other = std::pin::pin!(yield_now());
                    match futures::future::select(deliver, other).await {
                        futures::future::Either::Left((sent, _)) => sent.unwrap(),
                        futures::future::Either::Right(_) => continue,
                    }
                }
                delivered.fetch_add(1, Ordering::SeqCst);
            }
        }));
    }
    for sender in senders {
        while sender.is_alive() {
            thread::yield_now();
        }
    }
    let last = Numbered {
        sender: 0,
        number: u64::MAX,
    };
    // Room for the request is there when all has been received.
    let end = thread::spawn({
        let receiver = receiver.clone();
        move || match receiver.ask(support::Watch).wait() {
            Err(AskError::Gone(ExitReason::NoProcess)) => None,
            Err(AskError::Gone(reason)) => Some(reason),
            other => panic!("{other:?}"),
        }
    });
    block_on(receiver.deliver(last)).unwrap();
    let count = delivered.load(Ordering::SeqCst);
    match end.join().unwrap() {
        Some(reason) => assert_eq!(reason, ExitReason::error(count.to_string())),
        // It was over before it could be asked; then no message is missing either, or
        // the senders would still wait.
        None => assert!(!receiver.is_alive()),
    }
    assert_eq!(runtime.stats().mailbox_drops, 0);
}

// [R52] [R60] a flooded actor still ends at once, and others run.
#[test]
fn a_flood_delays_neither_the_end_nor_others() {
    let _watchdog = support::watchdog(600);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let flooded = runtime.spawn(async {
        loop {
            let Typed(Pong) = receive().await;
        }
    });
    let flood = Arc::new(Barrier::new(4));
    let threads: Vec<_> = (0..3)
        .map(|_| {
            let (flooded, flood) = (flooded.clone(), Arc::clone(&flood));
            thread::spawn(move || {
                flooded.send(Pong);
                flood.wait();
                for n in 0u64.. {
                    if flooded.try_send(Pong).is_err() {
                        break;
                    }
                    if n.is_multiple_of(64) {
                        thread::yield_now();
                    }
                }
            })
        })
        .collect();
    flood.wait();
    let echo = runtime.spawn(async {
        loop {
            let Typed(reply_to) = receive::<Typed<ReplyTo<()>>>().await;
            reply_to.send(());
        }
    });
    for _ in 0..100 {
        echo.ask(|reply_to: ReplyTo<()>| reply_to).wait().unwrap();
    }
    let report = runtime.shutdown(Duration::from_secs(300));
    assert!(report.ended && report.stuck.is_empty());
    assert_eq!(report.killed, 0);
    for thread in threads {
        thread.join().unwrap();
    }
}
