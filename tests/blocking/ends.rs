//! Every way in which a blocking actor ends. R27, R31, R56, R58.

use super::*;

// [R31]
#[test]
fn killed_inside_its_code_it_is_dead_at_once() {
    let _watchdog = support::watchdog(120);
    for how in [Spawn::new().blocked(), Spawn::new().dedicated()] {
        let runtime = runtime(2);
        let (drops, sent) = (DropCounter::new(), runtime.inbox::<&str>());
        let (release, wait) = mpsc::channel::<()>();
        let (told, busy) = mpsc::channel();
        let (to, token) = (sent.address(), drops.token());
        let inside = async move {
            let _token = token;
            told.send(thread::current().id()).unwrap();
            wait.recv().unwrap();
            to.send("sent by the dead");
            yield_now().await;
            to.send("goes on");
        };
        let actor = runtime.spawn_with(&how, inside).unwrap();
        busy.recv().unwrap();
        let watched = runtime.inbox::<(bool, ExitReason)>();
        let (pid, to) = (actor.pid(), watched.address());
        runtime.spawn(async move {
            let monitor = monitor(pid);
            kill(pid);
            let down: Down = receive().await;
            assert_eq!(down.monitor, monitor);
            to.send((process_info(pid).is_none(), down.reason));
        });
        // While the code is held up.
        let told = watched.recv_timeout(Duration::from_secs(60));
        assert_eq!(told, Ok((true, ExitReason::Killed)));
        assert!(!actor.is_alive());
        assert_eq!((drops.count(), runtime.stats().blocking.busy), (0, 1));
        release.send(()).unwrap();
        drops.wait_for(1);
        until("the lane is free", || runtime.stats().blocking.busy == 0);
        assert_eq!(sent.try_recv(), None);
        assert_eq!(runtime.stats().live, 0);
    }
}

// [R31] in line behind code that does not return.
#[test]
fn killed_in_line_it_does_not_wait_for_a_lane() {
    let _watchdog = support::watchdog(120);
    let runtime = runtime(1);
    let (_, release) = hold(&runtime);
    let ran = Arc::new(AtomicBool::new(false));
    let runs = ran.clone();
    let in_line = runtime.spawn_blocked(async move { runs.store(true, Ordering::SeqCst) });
    let end = end_of(&in_line);
    runtime.kill(&in_line);
    assert_eq!(support::block_on(end), ExitReason::Killed);
    release.send(()).unwrap();
    until("the line is empty", || runtime.stats().blocking.queued == 0);
    assert!(!ran.load(Ordering::SeqCst));
}

// [R56]
#[test]
fn a_shutdown_reports_what_does_not_return_and_drops_it_on_its_lane() {
    let _watchdog = support::watchdog(120);
    for how in [Spawn::new().blocked(), Spawn::new().dedicated()] {
        let runtime = runtime(1);
        let (release, wait) = mpsc::channel::<()>();
        let (told, busy) = mpsc::channel();
        let (dropped, drops) = mpsc::channel();
        let stuck = async move {
            let _guard = OnDrop(move || dropped.send(thread::current().id()).unwrap());
            told.send(thread::current().id()).unwrap();
            let _ = wait.recv();
        };
        let stuck = runtime.spawn_with(&how, stuck).unwrap();
        let lane = busy.recv().unwrap();
        let others = DropCounter::new();
        for _ in 0..10 {
            let token = others.token();
            runtime.spawn_blocked(async move {
                let _token = token;
                pending::<()>().await
            });
            let token = others.token();
            runtime.spawn_pinned(async move {
                let _token = token;
                pending::<()>().await
            });
        }
        let start = Instant::now();
        let report = runtime.shutdown(Duration::from_millis(20));
        assert!(start.elapsed() < Duration::from_secs(20));
        assert!(report.ended);
        assert_eq!(report.stuck.len(), 1, "{report:?}");
        assert_eq!(report.stuck[0].pid, stuck.pid());
        drop(runtime);
        assert_eq!(others.count(), 20, "those in line, too");
        assert!(drops.try_recv().is_err());
        release.send(()).unwrap();
        assert_eq!(drops.recv_timeout(Duration::from_secs(60)), Ok(lane));
    }
}

// [R56]
#[test]
fn run_ends_with_blocking_actors_in_every_state() {
    let _watchdog = support::watchdog(120);
    for _ in 0..20 {
        let drops = DropCounter::new();
        let counted = drops.clone();
        let reason = Runtime::builder()
            .workers(2)
            .blocking_threads(2)
            .run(async move {
                for n in 0..50u64 {
                    let token = counted.token();
                    spawn_blocked(async move {
                        let _token = token;
                        if n % 3 == 0 {
                            thread::sleep(Duration::from_micros(200));
                        }
                        if n % 5 != 0 {
                            pending::<()>().await;
                        }
                    });
                    let token = counted.token();
                    Spawn::new()
                        .dedicated()
                        .spawn(async move {
                            let _token = token;
                            pending::<()>().await
                        })
                        .map(drop)?;
                }
                Ok::<_, SpawnError>(())
            });
        assert_eq!(reason, ExitReason::Normal);
        assert_eq!(drops.count(), 100);
    }
}

// [R58]
#[test]
fn a_runtime_can_be_dropped_on_its_own_lane() {
    let _watchdog = support::watchdog(120);
    let (done, wait) = mpsc::channel();
    let runtime = runtime(1);
    let handle = runtime.handle();
    handle.spawn_blocked(async move {
        drop(runtime);
        done.send(()).unwrap();
        pending::<()>().await
    });
    wait.recv().unwrap();
    handle.join();
    assert!(handle.has_ended());
}

#[test]
fn an_idle_runtime_with_blocking_actors_ends_when_told_to() {
    let _watchdog = support::watchdog(120);
    let reason = Runtime::builder()
        .workers(1)
        .exit_when_idle(true)
        .run(async {
            spawn_blocked(async {
                thread::sleep(Duration::from_millis(400));
                let _: Envelope = receive().await;
            });
            pending::<()>().await
        });
    assert!(reason.to_string().contains("deadlock"), "{reason}");
}

// [R27] for every class: nothing of the body runs after the end is decided.
#[test]
fn an_end_is_an_end_wherever_the_actor_runs() {
    let _watchdog = support::watchdog(120);
    let runtime = runtime(2);
    for how in [
        Spawn::new(),
        Spawn::new().pinned(),
        Spawn::new().blocked(),
        Spawn::new().dedicated(),
    ] {
        let sent = runtime.inbox::<&str>();
        let (to, last) = (sent.address(), sent.address());
        let body = async move {
            let last_word = last.clone();
            let _guard = OnDrop(move || {
                last_word.send("destructor");
                let last_word = last_word.clone();
                spawn(async move { last_word.send("child of a destructor") });
            });
            let _bomb = OnDrop(|| panic!("in a destructor"));
            to.send("waits");
            let Typed(()) = receive().await;
            to.send("received");
            exit(ExitReason::error("decided")).await;
        };
        let actor = runtime.spawn_with(&how, body).unwrap();
        assert_eq!(sent.recv_timeout(Duration::from_secs(60)), Ok("waits"));
        let end = end_of(&actor);
        actor.send(());
        for word in ["received", "destructor", "child of a destructor"] {
            assert_eq!(sent.recv_timeout(Duration::from_secs(60)), Ok(word));
        }
        assert_eq!(support::block_on(end).to_string(), "error: decided");
    }
}
