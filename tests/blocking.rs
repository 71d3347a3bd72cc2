//! Blocking actors: lanes, their bound, their line, and what all classes share.

#[macro_use]
mod support;

use std::collections::HashSet;
use std::future::pending;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, ThreadId};
use std::time::Instant;

use support::{DropCounter, OnDrop, Watch, end_of};
use uproar::prelude::*;
use uproar::{Placement, Runtime};

fn runtime(lanes: usize) -> Runtime {
    Runtime::builder()
        .workers(1)
        .blocking_threads(lanes)
        .start()
        .unwrap()
}

fn until(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(60), "never: {what}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// A blocking actor that holds its lane, until the sender is used or dropped.
fn hold(runtime: &Runtime) -> (Address<Anything>, mpsc::Sender<()>) {
    let (release, wait) = mpsc::channel::<()>();
    let (told, busy) = mpsc::channel();
    let actor = runtime.spawn_blocked(async move {
        told.send(()).unwrap();
        let _ = wait.recv();
    });
    busy.recv().unwrap();
    (actor, release)
}

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

/// How late a ticker is beside actors that block. A figure, so not part of every run:
/// `cargo test --release --test blocking -- --ignored`.
#[test]
#[ignore = "measures"]
fn a_ticker_is_on_time_beside_a_thousand_that_block() {
    let runtime = Runtime::builder().workers(1).start().unwrap();
    let inbox = runtime.inbox::<Duration>();
    let to = inbox.address();
    let done = Arc::new(AtomicUsize::new(0));
    let blocked = done.clone();
    runtime.spawn(async move {
        for _ in 0..1000 {
            let blocked = blocked.clone();
            spawn_blocked(async move {
                thread::sleep(Duration::from_millis(50));
                blocked.fetch_add(1, Ordering::SeqCst);
            });
            yield_now().await;
        }
    });
    runtime.spawn(async move {
        for _ in 0..500 {
            let due = now() + Duration::from_millis(1);
            sleep_until(due).await;
            to.send(now() - due);
        }
    });
    let mut late: Vec<_> = (0..500)
        .map(|_| inbox.recv_timeout(Duration::from_secs(60)).unwrap())
        .collect();
    until("all have blocked", || done.load(Ordering::SeqCst) == 1000);
    late.sort_unstable();
    let (p50, p99) = (late[250], late[495]);
    println!("late: p50 {p50:?}, p99 {p99:?}, most {:?}", late[499]);
    assert!(p99 < Duration::from_millis(5), "{p99:?}");
}
