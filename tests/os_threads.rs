//! The threads of the OS process: panics cost none, and a runtime's end leaves none.
//!
//! One test, for it counts the threads of the whole process.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use support::{OnDrop, end_of};
use uproar::Runtime;
use uproar::prelude::*;

#[test]
fn threads_come_and_go_with_runtimes() {
    let _watchdog = support::watchdog(300);
    // The panics would fill the terminal.
    std::panic::set_hook(Box::new(|info| {
        if worker_id().is_none() {
            eprintln!("{info}");
        }
    }));
    let base = support::os_threads();
    panics_cost_no_worker();
    until_so_many_threads(base);
    runtimes_leave_no_thread(base);
}

/// Waits until the operating system has taken the ended ones off its list, which it
/// does a little after they can be joined. A thread that stays is a hang.
fn until_so_many_threads(count: usize) {
    while support::os_threads() != count {
        std::thread::yield_now();
    }
}

// [R18]
fn panics_cost_no_worker() {
    const PANICS: u64 = 10_000;
    let runtime = Runtime::builder().workers(4).start().unwrap();
    let ready = runtime.spawn(support::until_stop());
    let before = support::os_threads();
    assert!(before >= 5, "four workers and the reactor");

    let ends = Arc::new(AtomicUsize::new(0));
    let mut actors = Vec::new();
    for n in 0..PANICS {
        let counted = Arc::clone(&ends);
        let guard = OnDrop(move || {
            counted.fetch_add(1, Ordering::SeqCst);
        });
        let actor = match n % 4 {
            0 => runtime.spawn(async move {
                let _guard = guard;
                panic!("in the first poll");
            }),
            1 => runtime.spawn(async move {
                let _guard = guard;
                let Typed(()) = receive().await;
                panic!("after a wake");
            }),
            2 => runtime.spawn(async move {
                let _guard = guard;
                let _bomb = OnDrop(|| panic!("in a destructor"));
                let Typed(()) = receive().await;
            }),
            _ => runtime.spawn(async move {
                let _guard = guard;
                receive_if(|(): &()| panic!("in a predicate")).await;
            }),
        };
        actor.send(());
        actors.push(actor);
    }
    while ends.load(Ordering::SeqCst) < PANICS as usize || actors.iter().any(|a| a.is_alive()) {
        std::thread::yield_now();
    }
    assert_eq!(support::os_threads(), before);

    // The healthy ones run, and find the context of their thread clean.
    for _ in 0..1000 {
        let actor = runtime.spawn(async {
            let Typed(pid) = receive::<Typed<Pid>>().await;
            assert_eq!(pid, self_pid());
            assert!(worker_id().is_some_and(|worker| worker.index() < 4));
            // A whole budget: so many receives of what is there take one slice.
            let mut polls = 0;
            let mut slice = Box::pin(async {
                for n in 0..50u32 {
                    self_address::<Anything>().send(n);
                    assert_eq!(receive::<Typed<u32>>().await, Typed(n));
                }
            });
            yield_now().await;
            std::future::poll_fn(move |cx| {
                polls += 1;
                let poll = slice.as_mut().poll(cx);
                assert!(poll.is_pending() || polls == 1);
                poll
            })
            .await;
            assert!(try_receive::<Typed<()>>().is_none());
        });
        let end = end_of(&actor);
        actor.send(actor.pid());
        assert_eq!(support::block_on(end), ExitReason::Normal);
    }
    ready.send(support::Stop);
    while ready.is_alive() || runtime.stats().live > 0 {
        std::thread::yield_now();
    }
    let stats = runtime.stats();
    assert_eq!(stats.panicked, PANICS);
    assert_eq!(stats.exited, PANICS + 1000 + 1);
    assert_eq!(support::os_threads(), before);
}

// [R56] [R58]
fn runtimes_leave_no_thread(base: usize) {
    for _ in 0..50 {
        let reason = Runtime::builder().workers(3).run(async {
            for _ in 0..10 {
                spawn(support::until_stop());
            }
        });
        assert_eq!(reason, ExitReason::Normal);
        until_so_many_threads(base);
    }
    for _ in 0..50 {
        let runtime = Runtime::builder().workers(3).start().unwrap();
        runtime.spawn(support::until_stop());
        until_so_many_threads(base + 4);
        drop(runtime);
        until_so_many_threads(base);
    }
    // A manual one has none.
    let runtime = Runtime::builder().workers(8).manual();
    runtime.spawn(support::until_stop());
    runtime.run_until_idle();
    until_so_many_threads(base);
}
