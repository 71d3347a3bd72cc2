//! The manual runtime: ticks, seeds, the virtual clock.

mod support;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use support::{DropCounter, OnDrop, panic_of, panic_text, polled, until_stop};
use uproar::prelude::*;
use uproar::{ManualRuntime, Runtime, Tick};

const SECOND: Duration = Duration::from_secs(1);

type Trace = Arc<Mutex<Vec<String>>>;

/// A program with something of everything, and what it did, step by step.
fn trace(seed: u64) -> Vec<String> {
    let trace = Trace::default();
    let runtime = Runtime::builder().seed(seed).workers(3).manual();
    let start = runtime.now();
    let note = {
        let trace = Arc::clone(&trace);
        move |text: String| {
            let at = now() - start;
            let worker = worker_id().unwrap();
            trace
                .lock()
                .unwrap()
                .push(format!("{at:?} {worker} {} {text}", me()));
        }
    };
    /// The own pid without the runtime's number, which differs from run to run.
    fn me() -> String {
        self_pid().to_string()
    }
    // From outside as well.
    let outsider = runtime.spawn({
        let note = note.clone();
        async move {
            for _ in 0..3 {
                let Typed(n) = receive::<Typed<u32>>().await;
                note(format!("got {n}"));
            }
        }
    });
    runtime.block_on(async {
        let main = self_address::<Anything>();
        let mut actors = Vec::new();
        for i in 0..6u32 {
            let (note, main, outsider) = (note.clone(), main.clone(), outsider.clone());
            actors.push(spawn(async move {
                note(format!("{i} begins"));
                for n in 0..4u32 {
                    if n % 2 == 0 {
                        sleep(Duration::from_millis(5)).await;
                    } else {
                        yield_now().await;
                    }
                    note(format!("{i} at {n}"));
                    main.send((i, n));
                }
                outsider.send(i);
                let asked = main.ask(|reply_to: ReplyTo<u32>| reply_to);
                let asked = asked.timeout(Duration::from_millis(3)).await;
                note(format!("{i} was told {asked:?}"));
                if i == 3 {
                    panic!("of {i}");
                }
            }));
        }
        for _ in 0..24 {
            let Typed((i, n)) = receive::<Typed<(u32, u32)>>().await;
            note(format!("from {i}: {n}"));
            if let Some(Typed(reply_to)) = try_receive::<Typed<ReplyTo<u32>>>() {
                reply_to.send(n);
            }
        }
        drop(actors);
    });
    runtime.run_until_idle();
    let stats = runtime.stats();
    runtime.shutdown(SECOND);
    let mut trace = std::mem::take(&mut *trace.lock().unwrap());
    for worker in &stats.workers {
        let figures = (worker.slices, worker.reductions, worker.messages);
        trace.push(format!("{figures:?} {} {}", worker.steals, worker.stolen));
    }
    trace
}

// [R59]
#[test]
fn the_same_seed_is_the_same_run() {
    for seed in 0..60 {
        assert_eq!(trace(seed), trace(seed), "seed {seed}");
    }
    let seed = 0xDEAD_BEEF_0BAD_CAFE;
    let first = trace(seed);
    for _ in 0..20 {
        assert_eq!(trace(seed), first);
    }
}

// [R59] also on other threads, next to other runtimes.
#[test]
fn the_same_seed_is_the_same_run_on_any_thread() {
    let expected: Vec<_> = (0..8).map(trace).collect();
    let threads: Vec<_> = (0..8)
        .map(|seed| std::thread::spawn(move || (trace(seed), trace(seed))))
        .collect();
    for (thread, expected) in threads.into_iter().zip(expected) {
        let (first, second) = thread.join().unwrap();
        assert_eq!(first, expected);
        assert_eq!(second, expected);
    }
}

// [R59]
#[test]
fn different_seeds_are_different_runs() {
    let traces: BTreeSet<_> = (0..60).map(trace).collect();
    assert!(traces.len() >= 59, "{} of 60 differ", traces.len());
}

// [R59] seeds reach the orders that threads could: all orders of three actors, any worker.
#[test]
fn seeds_reach_all_orders() {
    let mut orders = BTreeSet::new();
    let mut workers = BTreeSet::new();
    for seed in 0..500 {
        let runtime = Runtime::builder().seed(seed).workers(3).manual();
        let (order, used) = runtime.block_on(async {
            let main = self_address::<Anything>();
            for n in 0..3u32 {
                let main = main.clone();
                spawn(async move { main.send((n, worker_id().unwrap())) });
            }
            let mut order = Vec::new();
            let mut used = Vec::new();
            for _ in 0..3 {
                let Typed((n, worker)) = receive::<Typed<(u32, WorkerId)>>().await;
                order.push(n);
                used.push(worker);
            }
            (order, used)
        });
        orders.insert(order);
        workers.extend(used);
    }
    assert_eq!(orders.len(), 6);
    assert_eq!(workers.len(), 3);
}

// [R59] equal deadlines: any order, as the seed says.
#[test]
fn equal_deadlines_fire_in_the_seeds_order() {
    let order = |seed| {
        let runtime = Runtime::builder().seed(seed).workers(1).manual();
        runtime.block_on(async {
            let main = self_address::<Anything>();
            let at = now() + SECOND;
            for n in 0..3u32 {
                let main = main.clone();
                spawn(async move {
                    sleep_until(at).await;
                    main.send(n);
                });
            }
            let mut order = Vec::new();
            for _ in 0..3 {
                let Typed(n) = receive::<Typed<u32>>().await;
                order.push(n);
            }
            order
        })
    };
    let mut orders = BTreeSet::new();
    for seed in 0..200 {
        assert_eq!(order(seed), order(seed));
        orders.insert(order(seed));
    }
    assert_eq!(orders.len(), 6);
}

// [R59] nothing happens outside of ticks.
#[test]
fn nothing_happens_outside_of_ticks() {
    let runtime = Runtime::builder().manual();
    let drops = DropCounter::new();
    let mut counts = Vec::new();
    let mut actors = Vec::new();
    for _ in 0..10 {
        let token = drops.token();
        let (actor, polls) = polled(async move {
            let _token = token;
            until_stop().await;
        });
        actors.push(runtime.spawn(actor));
        counts.push(polls);
    }
    let polls = || -> usize { counts.iter().map(|c| c.load(Ordering::SeqCst)).sum() };
    for actor in &actors {
        actor.send(1);
    }
    runtime.handle().send(actors[0].pid(), 2);
    let _ = runtime.stats();
    assert_eq!(polls(), 0);
    for n in 1..=10 {
        assert_eq!(runtime.tick(), Tick::Ran);
        assert_eq!(polls(), n, "one slice a tick");
    }
    assert_eq!(runtime.tick(), Tick::Idle);
    assert_eq!(polls(), 10);
    for actor in &actors {
        actor.send(support::Stop);
    }
    assert_eq!((polls(), drops.count()), (10, 0));
    runtime.run_until_idle();
    assert_eq!((polls(), drops.count()), (20, 10));
    assert_eq!(runtime.stats().live, 0);
}

// [R59]
#[test]
fn a_tick_tells_what_it_did() {
    let runtime = Runtime::builder().manual();
    assert_eq!(runtime.tick(), Tick::Idle);
    let start = runtime.now();
    runtime.spawn(async {
        sleep(SECOND).await;
        sleep(2 * SECOND).await;
        until_stop().await;
    });
    assert_eq!(runtime.tick(), Tick::Ran);
    for _ in 0..3 {
        assert_eq!(runtime.tick(), Tick::Waits(start + SECOND));
    }
    runtime.run_until_idle();
    assert_eq!(runtime.now(), start);
    runtime.advance(SECOND / 2);
    assert_eq!(runtime.tick(), Tick::Waits(start + SECOND));
    runtime.advance(SECOND);
    assert_eq!(runtime.now(), start + 3 * SECOND / 2);
    assert_eq!(runtime.tick(), Tick::Waits(start + 3 * SECOND));
    runtime.advance(10 * SECOND);
    assert_eq!(runtime.tick(), Tick::Idle);
    assert_eq!(runtime.now(), start + 23 * SECOND / 2);
}

// [R59] time passes from deadline to deadline: each actor sees its own.
#[test]
fn advancing_stops_at_each_deadline() {
    let runtime = Runtime::builder().manual();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let start = runtime.now();
    for n in [7u32, 3, 5, 3] {
        let seen = Arc::clone(&seen);
        runtime.spawn(async move {
            for _ in 0..2 {
                sleep(n * SECOND).await;
                seen.lock().unwrap().push((now() - start).as_secs());
            }
        });
    }
    runtime.advance(9 * SECOND);
    assert_eq!(*seen.lock().unwrap(), [3, 3, 5, 6, 6, 7]);
    runtime.advance(SECOND);
    assert_eq!(*seen.lock().unwrap(), [3, 3, 5, 6, 6, 7, 10]);
    runtime.advance(4 * SECOND);
    assert_eq!(*seen.lock().unwrap(), [3, 3, 5, 6, 6, 7, 10, 14]);
}

// [R59]
#[test]
fn time_stands_still_while_someone_can_run() {
    for seed in 0..100 {
        let runtime = Runtime::builder().seed(seed).manual();
        let start = runtime.now();
        runtime.block_on(async {
            let main = self_address::<Anything>();
            spawn(async move {
                sleep(Duration::from_nanos(1)).await;
                main.send("slept");
            });
            for _ in 0..200 {
                yield_now().await;
                assert!(try_receive::<Typed<&str>>().is_none());
                assert_eq!(now(), start);
            }
            let Typed("slept") = receive().await else {
                unreachable!()
            };
            assert_eq!(now(), start + Duration::from_nanos(1));
        });
    }
}

// [R59] a century costs nothing, nor does any time that can be told.
#[test]
fn ages_pass_at_once() {
    let _watchdog = support::watchdog(60);
    let century = 36_525 * 86_400 * SECOND;
    for age in [century, 10 * century, Duration::from_millis(u64::MAX)] {
        let runtime = Runtime::builder().manual();
        let start = runtime.now();
        runtime.block_on(async {
            sleep(age).await;
            let missed = receive::<Typed<()>>().timeout(SECOND).await;
            assert!(missed.is_err());
        });
        assert_eq!(runtime.now(), start + age + SECOND);
    }
}

// [R59] [R37]
#[test]
fn a_deadlock_is_reported() {
    let runtime = Runtime::builder().manual();
    let drops = DropCounter::new();
    let token = drops.token();
    let waits = runtime.spawn(until_stop());
    let text = panic_of(|| {
        runtime.block_on(async {
            let _token = token;
            until_stop().await;
        })
    });
    assert!(text.contains("deadlock: all actors wait"), "{text}");
    assert!(text.contains(&waits.pid().to_string()), "{text}");
    assert_eq!(
        text.matches(" is waiting for a message").count(),
        2,
        "{text}"
    );
    // The future is gone, the runtime is whole.
    assert_eq!(drops.count(), 1);
    assert!(waits.is_alive());
    assert_eq!(runtime.block_on(async { 5 }), 5);
}

// [R59] the future of `block_on` may borrow and need not be `Send`.
#[test]
fn block_on_takes_futures_that_borrow() {
    let runtime = Runtime::builder().manual();
    let text = String::from("borrowed");
    let shared = Rc::new(5);
    let mut changed = 0;
    let length = runtime.block_on(async {
        yield_now().await;
        sleep(SECOND).await;
        changed = *shared;
        text.len()
    });
    assert_eq!((length, changed), (8, 5));
}

// [R59] [R18] its panic is the caller's, payload and all.
#[test]
fn block_on_panics_with_its_future() {
    let runtime = Runtime::builder().manual();
    let caught = catch_unwind(AssertUnwindSafe(|| {
        runtime.block_on(async {
            sleep(SECOND).await;
            std::panic::panic_any(17u32);
        })
    }));
    assert_eq!(*caught.unwrap_err().downcast::<u32>().unwrap(), 17);
    // The panic of another actor is not.
    runtime.spawn(async { panic!("another's") });
    assert_eq!(runtime.block_on(async { yield_now().await }), ());
}

// [R59] a runtime is not ticked from within.
#[test]
fn ticks_within_a_tick_panic() {
    let runtime = Runtime::builder().manual();
    let outcome = runtime.block_on(async {
        let tick = catch_unwind(AssertUnwindSafe(|| runtime.tick()));
        let block = catch_unwind(AssertUnwindSafe(|| runtime.block_on(async {})));
        (tick.err(), block.err())
    });
    let (Some(tick), Some(block)) = outcome else {
        panic!("no panics")
    };
    assert!(panic_text(&*tick).contains("own actors"));
    assert!(panic_text(&*block).contains("use `.await`"));
}

// [R59] within an actor of another manual runtime it is.
#[test]
fn one_manual_runtime_within_another() {
    let outer = Runtime::builder().seed(1).manual();
    let inner = Runtime::builder().seed(2).manual();
    let (a, b) = outer.block_on(async {
        let me = self_pid();
        let inside = inner.block_on(async {
            sleep(SECOND).await;
            self_pid()
        });
        assert_eq!(self_pid(), me);
        sleep(2 * SECOND).await;
        (me, inside)
    });
    assert_ne!(a, b);
    assert_eq!(outer.stats().uptime, 2 * SECOND);
    assert_eq!(inner.stats().uptime, SECOND);
}

// [R59] [R57] a plain thread may send, ask and spawn; the ticking thread runs it all.
#[test]
fn other_threads_send_and_the_ticking_thread_runs() {
    let _watchdog = support::watchdog(60);
    let runtime = Runtime::builder().manual();
    let ticker = std::thread::current().id();
    let handle = runtime.handle();
    let sum = Arc::new(AtomicUsize::new(0));
    let added = Arc::clone(&sum);
    let adder = runtime.spawn(async move {
        for _ in 0..400 {
            let Typed(n) = receive::<Typed<usize>>().await;
            assert_eq!(std::thread::current().id(), ticker);
            added.fetch_add(n, Ordering::SeqCst);
        }
    });
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let (handle, adder) = (handle.clone(), adder.clone());
            std::thread::spawn(move || {
                for n in 0..100usize {
                    if n % 2 == 0 {
                        adder.send(n);
                    } else {
                        let adder = adder.clone();
                        handle.spawn(async move { adder.send(n) });
                    }
                }
            })
        })
        .collect();
    while adder.is_alive() {
        runtime.tick();
    }
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(sum.load(Ordering::SeqCst), 4 * (0..100).sum::<usize>());
}

// [R59] dropped, it ends its actors on the dropping thread.
#[test]
fn a_dropped_manual_runtime_ends_its_actors() {
    let drops = DropCounter::new();
    let here = std::thread::current().id();
    for seed in 0..50 {
        let runtime: ManualRuntime = Runtime::builder().seed(seed).manual();
        for n in 0..10 {
            let token = drops.token();
            let guard = OnDrop(move || assert_eq!(std::thread::current().id(), here));
            runtime.spawn(async move {
                let _token = token;
                let _guard = guard;
                match n % 3 {
                    0 => until_stop().await,
                    1 => sleep(SECOND).await,
                    _ => loop {
                        yield_now().await;
                    },
                }
            });
        }
        for _ in 0..seed {
            runtime.tick();
        }
    }
    assert_eq!(drops.count(), 500);
}
