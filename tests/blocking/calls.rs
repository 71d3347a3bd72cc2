//! What a blocking actor may call, and what it must not block. R54, R59, case 22.

use super::*;

#[test]
fn a_lane_may_wait_spawn_send_monitor_and_time() {
    let _watchdog = support::watchdog(120);
    let reason = Runtime::builder().workers(1).run(async {
        let (actor, monitor) = Spawn::new()
            .blocked()
            .link()
            .mailbox(Mailbox::bounded(4))
            .spawn_monitor(async {
                let info = process_info(self_pid()).unwrap();
                assert_eq!((info.placement, info.worker), (Placement::Blocking, None));
                let before = now();
                sleep(Duration::from_millis(3)).await;
                assert!(now() - before >= Duration::from_millis(3));
                // A child of each class; each says on which kind of thread it is.
                let me = self_address::<Anything>();
                let child = || {
                    let me = me.clone();
                    async move { me.send(worker_id()) }
                };
                spawn(child());
                spawn_pinned(child());
                spawn_blocked(child());
                spawn_pinned_on(WorkerId::new(0), child()).unwrap();
                let mut workers = 0;
                for _ in 0..4 {
                    let Typed(worker) = receive::<Typed<Option<WorkerId>>>().await;
                    workers += usize::from(worker.is_some());
                }
                assert_eq!(workers, 3);
                let (child, monitor) = spawn_monitor(async { panic!("as a test") });
                let down: Down = receive().await;
                assert_eq!((down.monitor, down.pid), (monitor, child.pid()));
                // To block is what it is for.
                let echo = spawn(async {
                    let Typed(reply_to) = receive::<Typed<ReplyTo<u8>>>().await;
                    reply_to.send(1);
                });
                assert_eq!(echo.ask(|r: ReplyTo<u8>| r).wait(), Ok(1));
                let timer = send_after(Duration::from_millis(1), &me, "tick");
                assert_eq!(receive::<Typed<&str>>().await, Typed("tick"));
                assert_eq!(timer.cancel(), None);
            })
            .unwrap();
        let down: Down = receive().await;
        assert_eq!((down.pid, down.monitor), (actor.pid(), monitor));
        assert_eq!(down.reason, ExitReason::Normal);
    });
    assert_eq!(reason, ExitReason::Normal);
}

// Case 22: what a destructor does under a lock of the user's runs nobody else inline.
#[test]
fn sends_and_exits_under_a_lock_run_nobody_inline() {
    let _watchdog = support::watchdog(120);
    for how in [
        Spawn::new(),
        Spawn::new().pinned(),
        Spawn::new().blocked(),
        Spawn::new().dedicated(),
    ] {
        let runtime = runtime(1);
        let lock = Arc::new(Mutex::new(0u32));
        let (theirs, last) = (lock.clone(), runtime.inbox::<u32>());
        let to = last.address();
        let peer = async move {
            let Typed(()) = receive().await;
            let mut count = theirs.lock().unwrap();
            *count += 1;
            to.send(*count);
        };
        let peer = runtime.spawn_with(&how, peer).unwrap();
        let (ours, told) = (lock.clone(), peer.clone());
        let first = async move {
            let _guard = OnDrop(move || {
                let mut count = ours.lock().unwrap();
                told.send(());
                send_exit(self_pid(), ExitReason::Normal);
                let _other = spawn(async {});
                *count += 1;
            });
            yield_now().await;
        };
        runtime.spawn_with(&how, first).unwrap();
        assert_eq!(last.recv_timeout(Duration::from_secs(60)), Ok(2));
    }
}

both! {
    // [R59] the ticking thread polls them, and the clock is the runtime's.
    async fn lanes_and_workers_talk_under_any_schedule() {
        let me = self_address::<Anything>();
        let mut children = Vec::new();
        for n in 0..9u64 {
            let me = me.clone();
            let child = async move {
                sleep(Duration::from_millis(n)).await;
                let Typed(add) = receive::<Typed<u64>>().await;
                me.send(n + add);
            };
            let how = Spawn::new().link();
            children.push(match n % 3 {
                0 => how.blocked().spawn(child),
                1 => how.dedicated().spawn(child),
                _ => how.pinned().spawn(child),
            }.unwrap());
        }
        for child in &children {
            child.send(100u64);
        }
        let mut sum = 0;
        for _ in 0..9 {
            sum += receive::<Typed<u64>>().await.0;
        }
        assert_eq!(sum, 936);
    }
}

#[test]
fn on_the_manual_driver_a_lane_is_no_worker_and_may_not_block() {
    let runtime = Runtime::builder().manual();
    let inbox = runtime.inbox::<(Option<WorkerId>, String)>();
    let to = inbox.address();
    runtime.spawn_blocked(async move {
        let ask = self_address::<Anything>().ask(Watch);
        let message = support::panic_of(move || ask.wait());
        to.send((worker_id(), message));
    });
    runtime.run_until_idle();
    let (worker, message) = inbox.try_recv().unwrap();
    assert_eq!(worker, None);
    assert!(message.contains("use `.await` inside actors"), "{message}");
    assert_eq!(runtime.stats().blocking.created, 0);
}
