//! The end of a run, for actors that are stuck too. R56.

use super::*;

// [R56] the main actor's end is everyone's, and when `run` returns all is destroyed.
#[test]
fn when_the_main_actor_ends_the_others_get_shutdown() {
    let _watchdog = support::watchdog(60);
    for workers in [1, 3] {
        let drops = DropCounter::new();
        let (ends, told): (Ends, _) = mpsc::channel();
        let tokens = drops.clone();
        let reason = Runtime::builder().workers(workers).run(async move {
            for n in 0..30 {
                let token = tokens.token();
                let actor = spawn(async move {
                    let _token = token;
                    match n % 3 {
                        0 => until_stop().await,
                        1 => sleep(HOUR).await,
                        _ => loop {
                            yield_now().await;
                        },
                    }
                });
                actor.send(Counted(tokens.token()));
                ends.send(Box::pin(end_of(&actor))).unwrap();
            }
            Err::<(), _>("the main actor's reason")
        });
        assert_eq!(reason, ExitReason::error("the main actor's reason"));
        assert_eq!(drops.count(), 60);
        let ends: Vec<_> = told.iter().collect();
        assert_eq!(ends.len(), 30);
        for end in ends {
            assert_eq!(block_on(end), ExitReason::Shutdown);
        }
    }
}

// [R56] a main actor that panics ends `run` just so.
#[test]
fn when_the_main_actor_panics_the_others_get_shutdown() {
    let _watchdog = support::watchdog(60);
    let drops = DropCounter::new();
    let token = drops.token();
    let reason = uproar::run(async move {
        spawn(async move {
            let _token = token;
            until_stop().await;
        });
        yield_now().await;
        panic!("main");
    });
    assert!(matches!(reason, ExitReason::Panic(_)));
    assert_eq!(drops.count(), 1);
}

// [R56] an actor that does not come back is named; it is dropped when its code returns.
#[test]
fn an_actor_stuck_in_its_code_is_named_and_dropped_later() {
    let _watchdog = support::watchdog(60);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let (inside, let_go) = (flag(), flag());
    let (stuck_drops, drops) = (DropCounter::new(), DropCounter::new());
    let actor = runtime.spawn(stuck(
        Arc::clone(&inside),
        Arc::clone(&let_go),
        stuck_drops.token(),
    ));
    wait_for(&inside);
    let asked = actor.ask(|reply_to: ReplyTo<()>| reply_to);
    actor.send(Counted(drops.token()));
    for _ in 0..10 {
        let token = drops.token();
        runtime.spawn(async move {
            let _token = token;
            until_stop().await;
        });
    }
    let start = Instant::now();
    let report = runtime.shutdown(Duration::from_millis(20));
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "much more than the grace"
    );
    assert!(report.ended);
    assert_eq!(report.killed, 1);
    assert_eq!(report.stuck.len(), 1);
    assert_eq!(report.stuck[0].pid, actor.pid());
    assert!(report.stuck[0].actor.contains("stuck"), "{report:?}");
    // All others are destroyed, and what was sent to it is too.
    assert_eq!(drops.count(), 11);
    assert_eq!(asked.wait(), Err(AskError::Gone(ExitReason::Killed)));
    assert!(!actor.is_alive());
    assert!(actor.try_send(()).is_err());
    assert_eq!(stuck_drops.count(), 0);
    let_go.store(true, Ordering::SeqCst);
    stuck_drops.wait_for(1);
    assert_eq!(runtime.shutdown(HOUR).stuck, report.stuck);
}

// [R56] `Drop` does not wait for it, nor does the end of `run`.
#[test]
fn a_stuck_actor_delays_no_drop() {
    let _watchdog = support::watchdog(60);
    let (inside, let_go) = (flag(), flag());
    let drops = DropCounter::new();
    let runtime = Runtime::builder().workers(1).start().unwrap();
    runtime.spawn(stuck(
        Arc::clone(&inside),
        Arc::clone(&let_go),
        drops.token(),
    ));
    wait_for(&inside);
    drop(runtime);
    assert_eq!(drops.count(), 0);

    let again = flag();
    let (told, go, token) = (Arc::clone(&again), Arc::clone(&let_go), drops.token());
    let reason = Runtime::builder().workers(2).run(async move {
        let told_too = Arc::clone(&told);
        spawn(async move {
            // This thread is to run the main actor.
            while worker_id().unwrap().index() == 0 {
                yield_now().await;
            }
            stuck(told_too, go, token).await;
        });
        while !told.load(Ordering::SeqCst) {
            yield_now().await;
        }
    });
    assert_eq!(reason, ExitReason::Normal);
    assert_eq!(drops.count(), 0);
    let_go.store(true, Ordering::SeqCst);
    drops.wait_for(2);
}

// [R56] code that returns within the grace is no straggler.
#[test]
fn an_actor_that_comes_back_within_the_grace_ends_in_order() {
    let _watchdog = support::watchdog(60);
    let runtime = Runtime::builder().workers(1).start().unwrap();
    let (inside, let_go) = (flag(), flag());
    let drops = DropCounter::new();
    let (told, go, token) = (Arc::clone(&inside), Arc::clone(&let_go), drops.token());
    let actor = runtime.spawn(async move {
        let _token = token;
        told.store(true, Ordering::SeqCst);
        wait_for(&go);
        until_stop().await;
    });
    let end = end_of(&actor);
    wait_for(&inside);
    let handle = runtime.handle();
    let shutdown = thread::spawn(move || handle.shutdown(HOUR));
    let_go.store(true, Ordering::SeqCst);
    let report = shutdown.join().unwrap();
    assert!(report.ended && report.stuck.is_empty());
    assert_eq!(report.killed, 0);
    assert_eq!(block_on(end), ExitReason::Shutdown);
    assert_eq!(drops.count(), 1);
}
