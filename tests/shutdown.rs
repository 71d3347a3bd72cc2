//! The end of a runtime.

mod support;

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::Poll;
use std::thread;
use std::time::Instant;

use support::{DropCounter, OnDrop, Token, block_on, end_of, panic_of, until_stop};
use uproar::prelude::*;
use uproar::{Handle, Runtime};

struct Counted(#[expect(dead_code)] Token);

const HOUR: Duration = Duration::from_secs(3600);

type Ends = mpsc::Sender<Pin<Box<dyn Future<Output = ExitReason> + Send>>>;

/// An actor that stays in its own code until it is let go.
async fn stuck(inside: Arc<AtomicBool>, let_go: Arc<AtomicBool>, _token: Token) {
    inside.store(true, Ordering::SeqCst);
    while !let_go.load(Ordering::SeqCst) {
        thread::yield_now();
    }
    yield_now().await;
    unreachable!("it has been given up");
}

fn flag() -> Arc<AtomicBool> {
    Arc::default()
}

fn wait_for(flag: &AtomicBool) {
    while !flag.load(Ordering::SeqCst) {
        thread::yield_now();
    }
}

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

// [R57] destructors that a shutdown runs call back into the runtime.
#[test]
fn destructors_call_back_during_the_shutdown() {
    let _watchdog = support::watchdog(60);
    const ACTORS: usize = 1000;
    for inside in [false, true] {
        let runtime = Runtime::builder().workers(3).start().unwrap();
        let guards = Arc::new(AtomicUsize::new(0));
        let drops = DropCounter::new();
        let mut neighbour = runtime.spawn(until_stop());
        for _ in 0..ACTORS {
            let (to, counted, tokens) = (neighbour, Arc::clone(&guards), drops.clone());
            let handle = runtime.handle();
            let guard = OnDrop(move || {
                counted.fetch_add(1, Ordering::SeqCst);
                to.send(Counted(tokens.token()));
                let child = tokens.token();
                spawn(async move {
                    let _child = child;
                    until_stop().await;
                });
                let child = tokens.token();
                handle.spawn(async move {
                    let _child = child;
                    until_stop().await;
                });
                drop(to.ask(|reply_to: ReplyTo<()>| (reply_to, tokens.token())));
                assert!(!handle.shutdown(HOUR).ended);
            });
            neighbour = runtime.spawn(async move {
                let _guard = guard;
                until_stop().await;
            });
        }
        if inside {
            let handle = runtime.handle();
            runtime.spawn(async move {
                handle.shutdown(HOUR);
            });
            runtime.join();
        }
        let report = runtime.shutdown(HOUR);
        assert!(report.ended && report.stuck.is_empty());
        assert_eq!(report.killed, 0);
        assert_eq!(guards.load(Ordering::SeqCst), ACTORS);
        assert_eq!(drops.count(), 4 * ACTORS);
    }
}

// [R57] the same, on the manual runtime.
#[test]
fn destructors_call_back_during_a_manual_shutdown() {
    for seed in 0..200 {
        let runtime = Runtime::builder().seed(seed).manual();
        let drops = DropCounter::new();
        let mut neighbour = runtime.spawn(until_stop());
        for _ in 0..20 {
            let (to, tokens) = (neighbour, drops.clone());
            let guard = OnDrop(move || {
                to.send(Counted(tokens.token()));
                let child = tokens.token();
                assert!(!spawn(async move { drop(child) }).is_alive());
            });
            neighbour = runtime.spawn(async move {
                let _guard = guard;
                until_stop().await;
            });
        }
        if seed % 2 == 0 {
            runtime.run_until_idle();
        }
        let before = runtime.now();
        let report = runtime.shutdown(HOUR);
        assert!(report.ended && report.stuck.is_empty());
        assert_eq!(report.killed, 0);
        assert_eq!(runtime.now(), before, "all obeyed at once");
        assert_eq!(drops.count(), 40);
    }
}

// [R58]
#[test]
fn run_can_be_called_again() {
    let _watchdog = support::watchdog(120);
    for n in 0..100u32 {
        let got = Arc::new(Mutex::new(0));
        let slot = Arc::clone(&got);
        let reason = uproar::run(async move {
            let main = self_address::<Anything>();
            spawn(async move { main.send(n) });
            let Typed(n) = receive::<Typed<u32>>().await;
            *slot.lock().unwrap() = n;
        });
        assert_eq!(reason, ExitReason::Normal);
        assert_eq!(*got.lock().unwrap(), n);
    }
}

// [R58]
#[test]
fn runtimes_coexist() {
    let _watchdog = support::watchdog(60);
    let runtimes: Vec<Runtime> = (1..=4)
        .map(|workers| Runtime::builder().workers(workers).start().unwrap())
        .collect();
    // A ring of actors, each in a runtime of its own.
    let inbox = runtimes[0].inbox::<u32>();
    let mut next = inbox.address();
    for _ in 0..3 {
        for runtime in &runtimes {
            let to = next;
            let actor = runtime.spawn(async move {
                loop {
                    let Typed(n) = receive::<Typed<u32>>().await;
                    to.send(n + 1);
                }
            });
            next = actor.recipient();
        }
    }
    for n in 0..100 {
        next.send(n);
        assert_eq!(inbox.recv_timeout(HOUR), Ok(n + 12));
    }
    // The end of one is not the end of the others.
    let mut runtimes = runtimes;
    drop(runtimes.pop());
    let echo = runtimes[1].spawn(async {
        let Typed(reply_to) = receive::<Typed<ReplyTo<u32>>>().await;
        reply_to.send(7);
    });
    assert_eq!(echo.ask(|reply_to: ReplyTo<u32>| reply_to).wait(), Ok(7));
}

// [R58] a runtime within an actor of another.
#[test]
fn a_runtime_nested_in_an_actor() {
    let _watchdog = support::watchdog(60);
    for workers in [1, 2] {
        let reason = Runtime::builder().workers(workers).run(async {
            let outer = self_pid();
            let inner = Runtime::builder().workers(2).start().unwrap();
            let me = self_address::<Anything>();
            let echo = inner.spawn(async move {
                me.send(self_pid());
                let Typed(reply_to) = receive::<Typed<ReplyTo<u32>>>().await;
                reply_to.send(7);
            });
            let Typed(pid) = receive::<Typed<Pid>>().await;
            assert_eq!(pid, echo.pid());
            assert_eq!(echo.ask(|reply_to: ReplyTo<u32>| reply_to).await, Ok(7));
            let handle = inner.handle();
            drop(inner);
            assert!(handle.has_ended());
            handle.wait().await;
            // A run within a run stops this worker and no other, and all is as before.
            let nested = uproar::run(async move {
                assert_ne!(self_pid(), outer);
                Err::<(), _>("nested")
            });
            assert_eq!(nested, ExitReason::error("nested"));
            assert_eq!(self_pid(), outer);
            let manual = Runtime::builder().manual();
            manual.block_on(async { sleep(HOUR).await });
            drop(manual);
            assert_eq!(self_pid(), outer);
            assert_eq!(worker_id().unwrap().index(), 0);
            self_address::<Anything>().send(5u32);
            assert_eq!(receive::<Typed<u32>>().await, Typed(5));
        });
        assert_eq!(reason, ExitReason::Normal);
    }
}

// [R58] [R35] a request that an actor drops is not answered with the end of an actor of a
// runtime nested in it.
#[test]
fn a_nested_runtime_does_not_answer_for_the_actor_around_it() {
    let _watchdog = support::watchdog(60);
    let runtime = Runtime::builder().workers(1).start().unwrap();
    let actor = runtime.spawn(async {
        let Typed(reply_to) = receive::<Typed<ReplyTo<()>>>().await;
        drop(reply_to);
        let nested = Runtime::builder().manual();
        nested.spawn(async { Err::<(), _>("of the nested one") });
        nested.run_until_idle();
        until_stop().await;
    });
    let asked = actor.ask(|reply_to: ReplyTo<()>| reply_to).wait();
    assert_eq!(asked, Err(AskError::NoReply));
}

// [R58] the last owner of a runtime may be one of its own actors.
#[test]
fn a_runtime_is_dropped_on_its_own_worker() {
    let _watchdog = support::watchdog(60);
    for how in 0..4 {
        let runtime = Runtime::builder().workers(1 + how % 2).start().unwrap();
        let handle = runtime.handle();
        let drops = DropCounter::new();
        for _ in 0..10 {
            let token = drops.token();
            runtime.spawn(async move {
                let _token = token;
                until_stop().await;
            });
        }
        let owner = runtime.spawn(async move {
            let Typed(runtime) = receive::<Typed<Runtime>>().await;
            match how {
                0 => drop(runtime),
                1 => {
                    let _with_the_panic = runtime;
                    panic!("with the runtime");
                }
                // It goes with the future that the shutdown drops.
                2 => {
                    let _held = runtime;
                    until_stop().await;
                }
                // In a message that is never received.
                _ => {
                    self_address::<Anything>().send(runtime);
                    let Typed(()) = receive().await;
                }
            }
        });
        owner.send(runtime);
        if how >= 2 {
            // The owner waits; it is another thread that begins the shutdown.
            handle.shutdown(HOUR);
        }
        handle.join();
        assert_eq!(drops.count(), 10);
        assert!(!owner.is_alive());
    }
}

// [R58] a waker that outlives its runtime wakes nobody.
#[test]
fn a_waker_that_outlives_the_runtime() {
    let _watchdog = support::watchdog(60);
    let (wakers, woken) = mpsc::channel();
    let runtime = Runtime::builder().workers(2).start().unwrap();
    runtime.spawn(async move {
        std::future::poll_fn(|cx| {
            wakers.send(cx.waker().clone()).unwrap();
            Poll::<()>::Pending
        })
        .await;
    });
    let waker = woken.recv().unwrap();
    drop(runtime);
    waker.wake_by_ref();
    let other = waker.clone();
    waker.wake();
    drop(other);

    let runtime = Runtime::builder().manual();
    let inbox = runtime.inbox::<std::task::Waker>();
    let to = inbox.address();
    runtime.spawn(std::future::poll_fn(move |cx| {
        to.send(cx.waker().clone());
        Poll::<()>::Pending
    }));
    runtime.run_until_idle();
    let waker = inbox.try_recv().unwrap();
    drop(runtime);
    waker.wake();
}

// [R58] a `ReplyTo` and an address that outlive their runtime.
#[test]
fn what_outlives_the_runtime_is_inert() {
    let _watchdog = support::watchdog(60);
    let one = Runtime::builder().workers(1).start().unwrap();
    let other = Runtime::builder().workers(1).start().unwrap();
    let inbox = one.inbox::<ReplyTo<u32>>();
    let to = inbox.address();
    let asker = other.spawn(async move {
        assert_eq!(to.ask(|reply_to: ReplyTo<u32>| reply_to).await, Ok(3));
        assert!(to.ask(|reply_to: ReplyTo<u32>| reply_to).await.is_err());
    });
    let end = end_of(&asker);
    let reply_to = inbox.recv_timeout(HOUR).unwrap();
    drop(one);
    reply_to.send(3);
    assert_eq!(block_on(end), ExitReason::Normal);
    drop(inbox);
}

// [R59] threads: a run in which all wait and nothing is pending can be ended with a report.
#[test]
fn a_run_that_waits_for_nothing_ends_if_asked() {
    let _watchdog = support::watchdog(60);
    let reason = Runtime::builder()
        .workers(2)
        .exit_when_idle(true)
        .run(async {
            spawn(until_stop());
            // Time that is pending is not nothing.
            sleep(Duration::from_millis(300)).await;
            until_stop().await;
        });
    let text = reason.to_string();
    assert!(text.starts_with("error: deadlock"), "{text}");
    assert_eq!(
        text.matches(" is waiting for a message").count(),
        2,
        "{text}"
    );
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
