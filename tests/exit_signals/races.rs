//! Signals on real threads: beside messages, to those that park, under a flood. R28, R51, cases 1 and 26.

use super::*;

// [R28] its deadlines are gone with it: nobody waits for them any more.
#[test]
fn what_a_signalled_actor_waited_for_is_gone() {
    let _watchdog = support::watchdog(60);
    let runtime = Runtime::builder().manual();
    for kills in [false, true] {
        let actors = [
            runtime
                .spawn(async { receive::<Typed<()>>().timeout(HOUR).await.map(drop) })
                .pid(),
            runtime.spawn(sleep(HOUR)).pid(),
            runtime
                .spawn(async {
                    let silent = spawn_link(until_stop());
                    drop(
                        silent
                            .ask(|reply_to: ReplyTo<()>| reply_to)
                            .timeout(HOUR)
                            .await,
                    );
                })
                .pid(),
        ];
        runtime.run_until_idle();
        assert!(matches!(runtime.tick(), uproar::Tick::Waits(_)));
        for actor in actors {
            if kills {
                runtime.kill(actor);
            } else {
                runtime.send_exit(actor, ExitReason::Shutdown);
            }
        }
        runtime.run_until_idle();
        assert_eq!(runtime.tick(), uproar::Tick::Idle);
        assert_eq!(runtime.processes(), []);
    }
}

// [R51] case 1: a message and a control signal from two threads at once: neither is lost.
#[test]
fn two_signals_at_once_both_arrive() {
    let _watchdog = support::watchdog(120);
    const ROUNDS: usize = if cfg!(debug_assertions) {
        3_000
    } else {
        100_000
    };
    for workers in [1, 3] {
        let runtime = Runtime::builder().workers(workers).start().unwrap();
        let inbox = runtime.inbox::<&str>();
        let to = inbox.address();
        let actor = runtime.spawn(async move {
            trap_exit(true);
            #[receive]
            enum Next {
                Number(Typed<usize>),
                Exit(Exit),
            }
            loop {
                match receive().await {
                    Next::Number(Typed(_)) => to.send("number"),
                    Next::Exit(Exit { .. }) => to.send("exit"),
                }
            }
        });
        // A first message, so that it traps.
        actor.send(0usize);
        assert_eq!(inbox.recv_timeout(HOUR), Ok("number"));
        let barrier = std::sync::Barrier::new(2);
        thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..ROUNDS {
                    barrier.wait();
                    runtime.send_exit(&actor, ExitReason::Normal);
                    barrier.wait();
                }
            });
            for n in 0..ROUNDS {
                barrier.wait();
                actor.send(n);
                let mut got = [(); 2].map(|()| inbox.recv_timeout(HOUR).unwrap());
                got.sort_unstable();
                assert_eq!(got, ["exit", "number"]);
                barrier.wait();
            }
        });
    }
}

// [R51] [R28] case 1: a kill reaches an actor that is parked, or just parks, or is woken.
#[test]
fn a_kill_always_reaches_a_parked_actor() {
    let _watchdog = support::watchdog(120);
    const ROUNDS: u32 = if cfg!(debug_assertions) {
        2_000
    } else {
        50_000
    };
    for workers in [1, 3] {
        let runtime = Runtime::builder().workers(workers).start().unwrap();
        for round in 0..ROUNDS {
            let actor = runtime.spawn(async move {
                match round % 3 {
                    0 => until_stop().await,
                    1 => sleep(HOUR).await,
                    _ => pending().await,
                }
            });
            let drops = actor.ask(support::Watch);
            for _ in 0..round % 200 {
                std::hint::spin_loop();
            }
            if round % 2 == 0 {
                actor.send(0u8);
            }
            runtime.kill(&actor);
            assert!(!actor.is_alive());
            let end = support::block_on(drops);
            assert_eq!(end, Err(AskError::Gone(ExitReason::Killed)));
        }
    }
}

// [R28] case 26: a flood of messages hides neither a signal nor a tick.
#[test]
fn a_flood_of_messages_hides_no_signal() {
    let _watchdog = support::watchdog(120);
    #[derive(Debug, PartialEq)]
    struct Tick;
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let inbox = runtime.inbox::<&str>();
    for kills in [false, true] {
        let to = inbox.address();
        let other = runtime.spawn(until_told());
        let watched = other.pid();
        let actor = runtime.spawn(async move {
            trap_exit(true);
            let _monitor = monitor(watched);
            let _tick = send_interval(
                Duration::from_millis(10),
                &self_address::<Anything>(),
                Arc::new(Tick),
            );
            #[receive]
            enum Next {
                Number(Typed<u64>),
                Tick(Typed<Arc<Tick>>),
                Exit(Exit),
                Down(Down),
            }
            to.send("ready");
            let mut ticks = 0;
            loop {
                match receive().await {
                    Next::Number(Typed(_)) => {}
                    Next::Tick(Typed(_)) => {
                        ticks += 1;
                        if ticks == 3 {
                            to.send("ticks");
                        }
                    }
                    Next::Exit(Exit { .. }) => to.send("exit"),
                    Next::Down(Down { .. }) => to.send("down"),
                }
            }
        });
        assert_eq!(inbox.recv_timeout(HOUR), Ok("ready"));
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while !stop.load(Ordering::SeqCst) && actor.is_alive() {
                        for n in 0..64u64 {
                            actor.send(n);
                        }
                        thread::yield_now();
                    }
                });
            }
            runtime.send_exit(&actor, failed());
            other.send(EndWith(failed()));
            let to = inbox.address();
            runtime.spawn(async move { to.send("another") });
            let mut got = [(); 4].map(|()| inbox.recv_timeout(HOUR).unwrap());
            got.sort_unstable();
            assert_eq!(got, ["another", "down", "exit", "ticks"]);
            if kills {
                runtime.kill(&actor);
                let to = inbox.address();
                let pid = actor.pid();
                runtime.spawn(async move {
                    gone(pid).await;
                    to.send("killed");
                });
                assert_eq!(inbox.recv_timeout(HOUR), Ok("killed"));
            }
            stop.store(true, Ordering::SeqCst);
        });
        runtime.kill(&actor);
    }
}
