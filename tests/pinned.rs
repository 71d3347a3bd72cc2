//! Pinned actors: one worker for life, and nobody starves.

mod support;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use support::{DropCounter, OnDrop};
use uproar::prelude::*;
use uproar::{NoSuchWorker, Placement, Runtime};

fn runtime(workers: usize) -> Runtime {
    Runtime::builder().workers(workers).start().unwrap()
}

/// An actor that blocks its worker until the sender is dropped.
fn hold(runtime: &Runtime, worker: WorkerId) -> mpsc::Sender<()> {
    let (release, wait) = mpsc::channel::<()>();
    let (told, busy) = mpsc::channel();
    let holds = async move {
        told.send(()).unwrap();
        let _ = wait.recv();
    };
    runtime.spawn_pinned_on(worker, holds).unwrap();
    busy.recv().unwrap();
    release
}

/// An actor that stays on one worker through so many waits of each kind, and says which.
async fn stays(rounds: u64, to: uproar::Recipient<Option<WorkerId>>) {
    let home = worker_id();
    for n in 0..rounds {
        match n % 4 {
            0 => yield_now().await,
            1 => sleep(Duration::from_micros(50)).await,
            2 => {
                let echo = spawn(async {
                    let Typed(reply_to) = receive::<Typed<ReplyTo<()>>>().await;
                    reply_to.send(());
                });
                echo.ask(|reply_to: ReplyTo<()>| reply_to).await.unwrap();
            }
            _ => consume_reductions(1000).await,
        }
        assert_eq!(worker_id(), home);
    }
    to.send(home);
}

// [R53]
#[test]
fn a_pinned_actor_never_moves() {
    let _watchdog = support::watchdog(120);
    let runtime = runtime(4);
    let stop = Arc::new(AtomicBool::new(false));
    // Thieves have something to do.
    for _ in 0..16 {
        let stop = stop.clone();
        runtime.spawn(async move {
            while !stop.load(Ordering::Relaxed) {
                yield_now().await;
            }
        });
    }
    let inbox = runtime.inbox();
    for worker in runtime.workers().repeat(4) {
        runtime
            .spawn_pinned_on(worker, stays(200, inbox.address()))
            .unwrap();
    }
    let mut homes: Vec<_> = (0..16)
        .map(|_| inbox.recv_timeout(Duration::from_secs(100)).unwrap())
        .collect();
    homes.sort_unstable();
    let expected: Vec<_> = (0..16).map(|n| Some(WorkerId::new(n / 4))).collect();
    assert_eq!(homes, expected);
    stop.store(true, Ordering::Relaxed);
}

// [R53] from outside, from a blocking actor, and from an actor on a worker.
#[test]
fn who_has_no_worker_picks_one_and_keeps_it() {
    let _watchdog = support::watchdog(120);
    let runtime = runtime(3);
    let inbox = runtime.inbox();
    runtime.spawn_pinned(stays(40, inbox.address()));
    let to = inbox.address();
    runtime.spawn_blocked(async move {
        assert_eq!(worker_id(), None);
        spawn_pinned(stays(40, to.clone()));
        Spawn::new().pinned().spawn(stays(40, to)).unwrap();
    });
    for _ in 0..3 {
        let home = inbox.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(home.is_some());
    }
    let to = inbox.address();
    let there = WorkerId::new(2);
    let parent = async move {
        spawn_pinned(stays(40, to));
    };
    runtime.spawn_pinned_on(there, parent).unwrap();
    let home = inbox.recv_timeout(Duration::from_secs(60));
    assert_eq!(home, Ok(Some(there)), "the parent's");
}

// [R53]
#[test]
fn an_unknown_worker_is_an_error_value() {
    let runtime = Runtime::builder().workers(2).manual();
    let far = WorkerId::new(99);
    let error: NoSuchWorker = runtime.spawn_pinned_on(far, async {}).unwrap_err();
    assert_eq!((error.worker, error.workers), (far, 2));
    let how = Spawn::new().pinned_on(WorkerId::new(2));
    let error = runtime.spawn_with(&how, async {}).unwrap_err();
    assert_eq!(error.to_string(), "there is no worker 2: the runtime has 2");
    runtime.block_on(async move {
        assert!(spawn_pinned_on(far, async {}).is_err());
        let how = Spawn::new().pinned_on(far).link();
        let error = how.clone().spawn_monitor(async {}).unwrap_err();
        assert!(matches!(error, SpawnError::NoSuchWorker(_)));
        assert!(how.spawn_local(|| async {}).is_err());
    });
    let stats = runtime.stats();
    assert_eq!((stats.spawned, stats.live), (1, 0), "and nobody is born");
}

#[test]
fn neither_starves_the_other() {
    let _watchdog = support::watchdog(120);
    let runtime = runtime(1);
    let stop = Arc::new(AtomicBool::new(false));
    let counts: [Arc<AtomicU64>; 2] = Default::default();
    for (count, how) in counts.iter().zip([Spawn::new(), Spawn::new().pinned()]) {
        for _ in 0..50 {
            let (stop, count) = (stop.clone(), count.clone());
            let busy = async move {
                while !stop.load(Ordering::Relaxed) {
                    count.fetch_add(1, Ordering::Relaxed);
                    yield_now().await;
                }
            };
            runtime.spawn_with(&how, busy).unwrap();
        }
    }
    while counts.iter().any(|n| n.load(Ordering::Relaxed) < 20_000) {
        thread::sleep(Duration::from_millis(1));
    }
    let [normal, pinned] = counts.map(|n| n.load(Ordering::Relaxed));
    stop.store(true, Ordering::Relaxed);
    // One slice in five is the pinned ones' at least, and one in five the others'.
    assert!(
        pinned * 6 > normal && normal * 6 > pinned,
        "{normal} {pinned}"
    );
}

// A stuck worker is robbed of all but what is pinned to it, which is counted to the last.
#[test]
fn what_is_pinned_stays_behind_a_stuck_worker() {
    let _watchdog = support::watchdog(120);
    let runtime = runtime(2);
    let inbox = runtime.inbox::<Option<WorkerId>>();
    let here = WorkerId::new(1);
    let (release, wait) = mpsc::channel::<()>();
    let to = inbox.address();
    let parent = async move {
        for _ in 0..4 {
            spawn_pinned(stays(1, to.clone()));
        }
        // The last is in the next slot.
        let _ = wait.recv();
    };
    runtime.spawn_pinned_on(here, parent).unwrap();
    let pinned = || runtime.stats().workers[1].pinned_runnable;
    while pinned() < 4 {
        thread::yield_now();
    }
    thread::sleep(Duration::from_millis(50));
    assert_eq!(pinned(), 4, "neither more nor less");
    assert_eq!(runtime.stats().workers[1].stolen, 0);
    drop(release);
    for _ in 0..4 {
        let home = inbox.recv_timeout(Duration::from_secs(60));
        assert_eq!(home, Ok(Some(here)));
    }
    while pinned() > 0 {
        thread::yield_now();
    }
}

#[test]
fn runnable_ones_are_counted_by_class() {
    let _watchdog = support::watchdog(120);
    let runtime = runtime(1);
    let only = WorkerId::new(0);
    let release = hold(&runtime, only);
    for _ in 0..5 {
        runtime.spawn_pinned(async {});
    }
    for _ in 0..3 {
        runtime.spawn(async {});
    }
    let stats = runtime.stats();
    let worker = &stats.workers[0];
    assert_eq!((worker.pinned_runnable, worker.runnable), (5, 3));
    assert_eq!(stats.blocking.queued, 0);
    drop(release);
    while runtime.stats().live > 0 {
        thread::yield_now();
    }
    let stats = runtime.stats();
    let worker = &stats.workers[0];
    assert_eq!((worker.pinned_runnable, worker.runnable), (0, 0));
    assert_eq!(stats.spawned, stats.exited);
}

#[test]
fn it_has_links_monitors_a_mailbox_and_says_where_it_is() {
    let runtime = Runtime::builder().workers(2).manual();
    runtime.block_on(async {
        let here = worker_id();
        let how = Spawn::new().pinned().link().mailbox(Mailbox::bounded(1));
        let (child, monitor) = how.spawn_monitor(std::future::pending::<()>()).unwrap();
        let info = process_info(&child).unwrap();
        assert_eq!((info.placement, info.worker), (Placement::Pinned, here));
        assert_eq!(info.links, [self_pid()]);
        assert_eq!(child.try_send(1), Ok(()));
        assert_eq!(child.try_send(2), Err(SendError::Full(2)));
        trap_exit(true);
        kill(&child);
        let exit: Exit = receive().await;
        assert_eq!((exit.from, exit.reason), (child.pid(), ExitReason::Killed));
        assert_eq!(receive::<Down>().await.monitor, monitor);
    });
}

// [R56]
#[test]
fn a_shutdown_ends_them_on_their_worker_and_reports_the_stuck() {
    let _watchdog = support::watchdog(120);
    let runtime = runtime(2);
    let (stuck_on, free) = (WorkerId::new(0), WorkerId::new(1));
    let (dropped, drops) = mpsc::channel();
    let guarded = |name: &'static str| {
        let dropped = dropped.clone();
        async move {
            let _guard = OnDrop(move || dropped.send((name, worker_id())).unwrap());
            std::future::pending::<()>().await
        }
    };
    for (worker, name) in [(free, "free"), (stuck_on, "behind")] {
        let waits = runtime.spawn_pinned_on(worker, guarded(name)).unwrap();
        while runtime.process_info(&waits).unwrap().slices == 0 {
            thread::yield_now();
        }
    }
    let release = hold(&runtime, stuck_on);
    let counter = DropCounter::new();
    let token = counter.token();
    let unborn = async move { drop(token) };
    runtime.spawn_pinned_on(stuck_on, unborn).unwrap();
    let report = runtime.shutdown(Duration::from_millis(20));
    assert!(report.ended);
    // The one that holds the worker, and those that it holds up.
    assert_eq!(report.stuck.len(), 3, "{report:?}");
    assert_eq!(drops.recv(), Ok(("free", Some(free))));
    drop(runtime);
    assert_eq!((drops.try_recv().is_err(), counter.count()), (true, 0));
    drop(release);
    let end = drops.recv_timeout(Duration::from_secs(60));
    assert_eq!(end, Ok(("behind", Some(stuck_on))));
    counter.wait_for(1);
}
