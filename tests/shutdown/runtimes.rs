//! Runtimes one after the other, beside and within each other, and what outlives them. R58, R59.

use super::*;

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
