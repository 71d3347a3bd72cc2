//! Lanes: their bound, their line, how they come and go. R54, case 31.

use super::*;

// [R54]
#[test]
fn blocked_code_delays_no_normal_actor_of_the_only_worker() {
    let _watchdog = support::watchdog(120);
    let runtime = runtime(4);
    let holds: Vec<_> = (0..4).map(|_| hold(&runtime)).collect();
    let echo = runtime.spawn(async {
        loop {
            let Typed(reply_to) = receive::<Typed<ReplyTo<u8>>>().await;
            reply_to.send(7);
        }
    });
    for _ in 0..1000 {
        assert_eq!(echo.ask(|reply_to: ReplyTo<u8>| reply_to).wait(), Ok(7));
    }
    let blocking = runtime.stats().blocking;
    assert_eq!((blocking.live, blocking.busy, blocking.queued), (4, 4, 0));
    drop(holds);
}

// [R54]
#[test]
fn a_lane_is_held_only_while_the_actor_runs() {
    let _watchdog = support::watchdog(120);
    const ACTORS: usize = 10_000;
    let runtime = runtime(8);
    let started = Arc::new(AtomicUsize::new(0));
    let actors: Vec<_> = (0..ACTORS)
        .map(|_| {
            let started = started.clone();
            runtime.spawn_blocked(async move {
                started.fetch_add(1, Ordering::SeqCst);
                let Typed(reply_to) = receive::<Typed<ReplyTo<Option<WorkerId>>>>().await;
                reply_to.send(worker_id());
            })
        })
        .collect();
    until("all wait in receive", || {
        let blocking = runtime.stats().blocking;
        started.load(Ordering::SeqCst) == ACTORS && blocking.busy == 0 && blocking.queued == 0
    });
    let stats = runtime.stats();
    assert!(stats.blocking.live <= 8);
    assert_eq!((stats.live, stats.workers[0].actors), (ACTORS as u64, 0));
    for actor in actors {
        assert_eq!(
            actor.ask(|reply_to: ReplyTo<_>| reply_to).wait(),
            Ok(None::<WorkerId>)
        );
    }
}

// [R54] case 31
#[test]
fn beyond_the_bound_actors_wait_in_line_and_go_on_in_order() {
    let _watchdog = support::watchdog(120);
    let runtime = runtime(1);
    let (_, release) = hold(&runtime);
    let inbox = runtime.inbox::<u32>();
    for n in 0..100 {
        let to = inbox.address();
        runtime.spawn_blocked(async move { to.send(n) });
    }
    assert_eq!(runtime.stats().blocking.queued, 100);
    assert_eq!(inbox.try_recv(), None);
    release.send(()).unwrap();
    for n in 0..100 {
        assert_eq!(inbox.recv_timeout(Duration::from_secs(30)), Ok(n));
    }
    assert_eq!(runtime.stats().blocking.created, 1);
}

// Case 31: as many as there are lanes, all waiting for a message, then one more.
#[test]
fn waiting_ones_use_no_lane_up_and_get_messages_exits_and_timeouts() {
    let _watchdog = support::watchdog(120);
    let runtime = runtime(2);
    let waiting: Vec<_> = (0..2)
        .map(|_| {
            runtime.spawn_blocked(async {
                trap_exit(true);
                loop {
                    #[derive(Debug)]
                    #[receive]
                    enum Event {
                        Ask(Typed<ReplyTo<&'static str>>),
                        Exit(Exit),
                    }
                    match receive::<Event>().timeout(Duration::from_millis(5)).await {
                        Ok(Event::Ask(Typed(reply_to))) => reply_to.send("here"),
                        Ok(Event::Exit(exit)) => return exit.reason,
                        Err(Timeout) => {}
                    }
                }
            })
        })
        .collect();
    let one_more = runtime.spawn_blocked(async {
        let Typed(reply_to) = receive::<Typed<ReplyTo<&str>>>().await;
        reply_to.send("ran");
    });
    assert_eq!(one_more.ask(|r: ReplyTo<&'static str>| r).wait(), Ok("ran"));
    for actor in &waiting {
        assert_eq!(actor.ask(|r: ReplyTo<&'static str>| r).wait(), Ok("here"));
        let end = end_of(actor);
        runtime.send_exit(actor, ExitReason::error("enough"));
        assert_eq!(support::block_on(end).to_string(), "error: enough");
    }
}

// [R54]
#[test]
fn a_hundred_thousand_in_turn_reuse_the_threads() {
    let _watchdog = support::watchdog(300);
    const ACTORS: u64 = 100_000;
    let runtime = runtime(4);
    let threads = Arc::new(Mutex::new(HashSet::<ThreadId>::new()));
    let ran = Arc::new(AtomicUsize::new(0));
    for _ in 0..ACTORS {
        let (threads, ran) = (threads.clone(), ran.clone());
        runtime.spawn_blocked(async move {
            threads.lock().unwrap().insert(thread::current().id());
            ran.fetch_add(1, Ordering::SeqCst);
        });
    }
    until("all have run", || runtime.stats().live == 0);
    assert_eq!(ran.load(Ordering::SeqCst) as u64, ACTORS);
    assert!(threads.lock().unwrap().len() <= 4);
    let stats = runtime.stats();
    assert!(stats.blocking.created <= 4, "{stats:?}");
    assert_eq!((stats.spawned, stats.exited), (ACTORS, ACTORS));
}

#[test]
fn lanes_go_when_they_have_been_idle() {
    let _watchdog = support::watchdog(120);
    let runtime = Runtime::builder()
        .workers(1)
        .blocking_threads(16)
        .blocking_idle(Duration::from_millis(20))
        .start()
        .unwrap();
    let holds: Vec<_> = (0..16).map(|_| hold(&runtime)).collect();
    assert_eq!(runtime.stats().blocking.live, 16);
    drop(holds);
    until("all lanes have gone", || runtime.stats().blocking.live == 0);
    let (_, release) = hold(&runtime);
    assert_eq!(runtime.stats().blocking.live, 1, "and come back");
    assert_eq!(runtime.stats().blocking.created, 17);
    drop(release);
}

#[test]
fn under_little_load_only_the_lanes_that_are_needed_stay() {
    let _watchdog = support::watchdog(120);
    let runtime = Runtime::builder()
        .workers(1)
        .blocking_idle(Duration::from_millis(300))
        .start()
        .unwrap();
    drop((0..8).map(|_| hold(&runtime)).collect::<Vec<_>>());
    until("one lane does it", || {
        drop(hold(&runtime));
        runtime.stats().blocking.live == 1
    });
}

#[test]
fn an_always_ready_one_lets_others_have_the_lane() {
    let _watchdog = support::watchdog(120);
    let runtime = runtime(1);
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    let busy = runtime.spawn_blocked(async move {
        while !stopped.load(Ordering::SeqCst) {
            consume_reductions(1).await;
        }
    });
    let inbox = runtime.inbox::<()>();
    let to = inbox.address();
    runtime.spawn_blocked(async move {
        for _ in 0..10 {
            yield_now().await;
        }
        to.send(());
    });
    assert_eq!(inbox.recv_timeout(Duration::from_secs(60)), Ok(()));
    assert!(busy.is_alive());
    stop.store(true, Ordering::SeqCst);
}

#[test]
fn a_dedicated_one_keeps_its_thread_for_life_beside_the_bound() {
    let _watchdog = support::watchdog(120);
    let runtime = runtime(1);
    let (_, release) = hold(&runtime);
    let threads_of = || async {
        let first = thread::current().id();
        for _ in 0..100 {
            let Typed(reply_to) = receive::<Typed<ReplyTo<ThreadId>>>().await;
            assert_eq!(thread::current().id(), first);
            assert_eq!(worker_id(), None);
            reply_to.send(first);
        }
    };
    let dedicated: Vec<_> = (0..3)
        .map(|_| {
            let how = Spawn::new().dedicated();
            runtime.spawn_with(&how, threads_of()).unwrap()
        })
        .collect();
    let mut threads = HashSet::new();
    for _ in 0..100 {
        for actor in &dedicated {
            threads.insert(actor.ask(|r: ReplyTo<ThreadId>| r).wait().unwrap());
        }
    }
    assert_eq!(threads.len(), 3);
    until("they have had their hundred", || {
        runtime.process_info(&dedicated[0]).is_none()
    });
    until("their threads have gone", || {
        runtime.stats().blocking.live == 1
    });
    drop(release);
}

#[test]
fn the_smallest_configuration_can_do_it_all() {
    let _watchdog = support::watchdog(120);
    let reason = Runtime::builder()
        .workers(1)
        .blocking_threads(1)
        .run(async {
            let blocking = spawn_blocked(async {
                let Typed(reply_to) = receive::<Typed<ReplyTo<u8>>>().await;
                reply_to.send(spawn(async {}).is_alive().into());
            });
            blocking
                .ask(|reply_to: ReplyTo<u8>| reply_to)
                .await
                .map(drop)
        });
    assert_eq!(reason, ExitReason::Normal);
}

#[test]
fn no_lane_at_all_is_refused() {
    let message = support::panic_of(|| Runtime::builder().blocking_threads(0));
    assert!(
        message.contains("`.blocking_threads(1)` or more"),
        "{message}"
    );
}
