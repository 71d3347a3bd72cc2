//! Whom a shutdown wakes, and what is refused from the call on. R57.

use super::*;

// [R57] parked workers are woken at once, whatever the grace, and whatever actors wait for.
#[test]
fn shutdown_wakes_everyone_at_once() {
    let _watchdog = support::watchdog(60);
    let drops = DropCounter::new();
    let runtime = Runtime::builder().workers(4).start().unwrap();
    let never = runtime.inbox::<ReplyTo<()>>();
    let to = never.address();
    for n in 0..1000 {
        let (token, to) = (drops.token(), to.clone());
        runtime.spawn(async move {
            let _token = token;
            match n % 4 {
                0 => until_stop().await,
                1 => sleep(HOUR).await,
                2 => drop(to.ask(|reply_to: ReplyTo<()>| reply_to).await),
                _ => std::future::pending().await,
            }
        });
    }
    let report = runtime.shutdown(HOUR);
    assert!(report.ended && report.stuck.is_empty());
    assert_eq!(drops.count(), 1000);
    let stats = runtime.stats();
    assert_eq!((stats.live, stats.timers), (0, 0));
    assert!(runtime.has_ended());
    drop(never);
}

// [R57]
#[test]
fn shutdown_is_idempotent_from_anywhere() {
    let _watchdog = support::watchdog(60);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    for _ in 0..10 {
        runtime.spawn(until_stop());
    }
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let handle = runtime.handle();
            thread::spawn(move || handle.shutdown(HOUR))
        })
        .collect();
    for thread in threads {
        assert!(thread.join().unwrap().ended);
    }
    assert!(runtime.shutdown(Duration::ZERO).ended);
    runtime.join();
    block_on(runtime.wait());
}

// [R57] asked for by one of its own actors it can't wait, and goes on.
#[test]
fn shutdown_by_an_actor_returns_at_once() {
    let _watchdog = support::watchdog(60);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let drops = DropCounter::new();
    let handle = runtime.handle();
    let (child, sent) = (drops.token(), drops.token());
    let (reports, reported) = mpsc::channel();
    let bystander = runtime.spawn(until_stop());
    let to = bystander.clone();
    let actor = runtime.spawn(async move {
        let Typed(()) = receive().await;
        let text = panic_of(|| handle.join());
        assert!(text.contains("own runtime"), "{text}");
        reports.send(handle.shutdown(HOUR)).unwrap();
        reports.send(handle.shutdown(HOUR)).unwrap();
        // Until its next await it goes on, but spawns nothing any more.
        let inert = spawn(async move {
            let _child = child;
            unreachable!("it never runs");
        });
        assert!(!inert.is_alive());
        let refused = Spawn::new().spawn(async {});
        assert_eq!(refused.err(), Some(SpawnError::ShuttingDown));
        to.send(Counted(sent));
        yield_now().await;
        unreachable!("the signal takes it at its next await");
    });
    let end = end_of(&actor);
    actor.send(());
    for _ in 0..2 {
        let report = reported.recv().unwrap();
        assert!(!report.ended);
    }
    assert_eq!(block_on(end), ExitReason::Shutdown);
    runtime.join();
    assert_eq!(drops.count(), 2);
    assert!(!bystander.is_alive());
}

// [R57] after the end all calls are inert.
#[test]
fn after_the_end_all_calls_are_inert() {
    let _watchdog = support::watchdog(60);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let actor = runtime.spawn(until_stop());
    let inbox = runtime.inbox::<Counted>();
    let handle: Handle = runtime.handle();
    drop(runtime);
    check_inert(&handle, &actor, &inbox);

    let runtime = Runtime::builder().manual();
    let actor = runtime.spawn(until_stop());
    let inbox = runtime.inbox::<Counted>();
    let handle: Handle = runtime.handle();
    assert!(runtime.shutdown(HOUR).ended);
    check_inert(&handle, &actor, &inbox);
    let text = panic_of(|| runtime.block_on(async {}));
    assert!(text.contains("shut down"), "{text}");
    assert_eq!(runtime.tick(), uproar::Tick::Idle);
}

fn check_inert(handle: &Handle, actor: &Address<Anything>, inbox: &uproar::Inbox<Counted>) {
    let drops = DropCounter::new();
    assert!(handle.has_ended());
    let token = drops.token();
    let inert = handle.spawn(async move {
        let _token = token;
        unreachable!("it never runs");
    });
    assert_eq!(drops.count(), 1);
    assert!(!inert.is_alive());
    assert!(inert.try_send(()).is_err());
    let refused = handle.spawn_with(&Spawn::new(), async {});
    assert_eq!(refused.err(), Some(SpawnError::ShuttingDown));
    let before = handle.stats().dead_letters;
    actor.send(Counted(drops.token()));
    handle.send(actor.pid(), Counted(drops.token()));
    assert_eq!(drops.count(), 3);
    assert_eq!(handle.stats().dead_letters, before + 2);
    let asked = actor.ask(|reply_to: ReplyTo<()>| reply_to);
    assert_eq!(asked.wait(), Err(AskError::Gone(ExitReason::NoProcess)));
    let asked = actor.ask(|reply_to: ReplyTo<()>| reply_to).timeout(HOUR);
    assert_eq!(block_on(asked), Err(AskError::Gone(ExitReason::NoProcess)));
    // An inbox of it receives nothing any more.
    inbox.address().send(Counted(drops.token()));
    assert_eq!(drops.count(), 4);
    assert!(inbox.try_recv().is_none());
    let late = handle.inbox::<Counted>();
    late.address().send(Counted(drops.token()));
    assert_eq!(drops.count(), 5);
    assert!(late.try_recv().is_none());
    assert!(handle.processes().is_empty());
    assert_eq!(handle.stats().live, 0);
}

// [R57] a shutdown that meets spawns from many threads: all that was spawned is destroyed.
#[test]
fn a_shutdown_that_meets_spawns_destroys_them_all() {
    let _watchdog = support::watchdog(120);
    for round in 0..50 {
        let runtime = Runtime::builder().workers(2).start().unwrap();
        let drops = DropCounter::new();
        let made = Arc::new(AtomicUsize::new(0));
        let go_on = flag();
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let handle = runtime.handle();
                let (drops, made, over) = (drops.clone(), Arc::clone(&made), Arc::clone(&go_on));
                thread::spawn(move || {
                    while !over.load(Ordering::SeqCst) {
                        let token = drops.token();
                        made.fetch_add(1, Ordering::SeqCst);
                        let actor = handle.spawn(async move {
                            let _token = token;
                            until_stop().await;
                        });
                        made.fetch_add(1, Ordering::SeqCst);
                        actor.send(Counted(drops.token()));
                    }
                })
            })
            .collect();
        while made.load(Ordering::SeqCst) < 10 * round {
            thread::yield_now();
        }
        let report = runtime.shutdown(HOUR);
        assert!(report.ended && report.stuck.is_empty());
        go_on.store(true, Ordering::SeqCst);
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(runtime.stats().live, 0);
        drop(runtime);
        assert_eq!(drops.count(), made.load(Ordering::SeqCst));
    }
}

// [R57]
#[test]
fn from_the_call_on_outsiders_are_refused() {
    let _watchdog = support::watchdog(60);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let go = Arc::new(AtomicBool::new(false));
    let hold = Arc::clone(&go);
    let actor = runtime.spawn(async move {
        while !hold.load(Ordering::Acquire) {
            std::hint::spin_loop();
        }
        let _: Envelope = receive().await;
    });
    let handle = runtime.handle();
    let caller = thread::spawn(move || handle.shutdown(Duration::from_secs(3600)));
    while runtime.spawn_with(&Spawn::new(), async {}).is_ok() {
        thread::yield_now();
    }
    // The sweep that follows the change of phase has reached the actor when this ends.
    while actor.try_send(1u32).is_ok() {
        thread::yield_now();
    }
    assert!(matches!(actor.try_send(2u32), Err(SendError::Gone(2))));
    let asked = actor.ask(|reply_to: ReplyTo<u32>| reply_to).wait();
    assert_eq!(asked, Err(AskError::Gone(ExitReason::NoProcess)));
    go.store(true, Ordering::Release);
    let report = caller.join().unwrap();
    assert!(report.ended && report.stuck.is_empty() && report.killed == 0);
}
