//! Which CPUs workers and lanes run on.
#![cfg(target_os = "linux")]

mod support;

use std::thread;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use uproar::prelude::*;
use uproar::{Affinity, Runtime};

/// The CPUs that the calling thread may use.
fn mask() -> Vec<usize> {
    let set = sched_getaffinity(None).unwrap();
    (0..CpuSet::MAX_CPU).filter(|&n| set.is_set(n)).collect()
}

/// Runs a test on a thread with this mask.
fn under(cpus: &[usize], test: impl FnOnce() + Send) {
    let mut set = CpuSet::new();
    cpus.iter().for_each(|&cpu| set.set(cpu));
    thread::scope(|scope| {
        scope.spawn(|| {
            sched_setaffinity(None, &set).unwrap();
            test();
        });
    });
}

/// The masks of all workers, in their order.
fn masks(runtime: &Runtime) -> Vec<Vec<usize>> {
    let inbox = runtime.inbox();
    let mask_of = |worker| {
        let to = inbox.address();
        let told = async move { to.send(mask()) };
        runtime.spawn_pinned_on(worker, told).unwrap();
        inbox.recv_timeout(Duration::from_secs(60)).unwrap()
    };
    runtime.workers().into_iter().map(mask_of).collect()
}

fn lane_mask(runtime: &Runtime, how: Spawn) -> Vec<usize> {
    let inbox = runtime.inbox();
    let to = inbox.address();
    // Spawned on a worker, whose binding a thread inherits.
    runtime
        .spawn_pinned_on(WorkerId::new(0), async move {
            how.spawn(async move { to.send(mask()) }).map(drop)
        })
        .unwrap();
    inbox.recv_timeout(Duration::from_secs(60)).unwrap()
}

#[test]
fn workers_go_round_the_allowed_cpus_and_lanes_may_use_them_all() {
    let _watchdog = support::watchdog(120);
    let all = mask();
    let workers = all.len() + 1;
    let runtime = Runtime::builder()
        .workers(workers)
        .affinity(Affinity::BestEffort)
        .start()
        .unwrap();
    let expected: Vec<_> = (0..workers).map(|k| vec![all[k % all.len()]]).collect();
    assert_eq!(masks(&runtime), expected);
    assert_eq!(lane_mask(&runtime, Spawn::new().blocked()), all);
    assert_eq!(lane_mask(&runtime, Spawn::new().dedicated()), all);
    let stats = runtime.stats().affinity;
    assert_eq!((stats.applied, stats.refused), (workers as u64 + 2, 0));
    assert_eq!(mask(), all);
}

// Case 33: an allowed CPU that is not the first one.
#[test]
fn a_mask_is_kept_to_whatever_its_numbers() {
    let _watchdog = support::watchdog(120);
    let last = *mask().last().unwrap();
    under(&[last], || {
        let here = Runtime::capabilities();
        assert_eq!((here.cpus, here.parallelism), (vec![last], 1));
        let runtime = Runtime::builder()
            .workers(3)
            .affinity(Affinity::BestEffort)
            .start()
            .unwrap();
        assert_eq!(masks(&runtime), [[last], [last], [last]]);
        assert_eq!(runtime.stats().affinity.applied, 3);
    });
}

// Case 33
#[test]
fn with_one_cpu_the_default_is_one_worker_and_nothing_deadlocks() {
    let _watchdog = support::watchdog(120);
    under(&mask()[..1], || {
        for affinity in [Affinity::None, Affinity::BestEffort] {
            let runtime = Runtime::builder().affinity(affinity).start().unwrap();
            assert_eq!(runtime.workers().len(), 1);
            let inbox = runtime.inbox::<()>();
            for how in [Spawn::new(), Spawn::new().pinned(), Spawn::new().blocked()] {
                let to = inbox.address();
                let asks = async move {
                    let echo = spawn_blocked(async {
                        loop {
                            let Typed(reply_to) = receive::<Typed<ReplyTo<()>>>().await;
                            reply_to.send(());
                        }
                    });
                    for _ in 0..200 {
                        echo.ask(|reply_to: ReplyTo<()>| reply_to).await?;
                    }
                    to.send(());
                    Ok::<_, AskError>(())
                };
                runtime.spawn_with(&how, asks).unwrap();
                assert_eq!(inbox.recv_timeout(Duration::from_secs(60)), Ok(()));
            }
        }
    });
}

// Case 33: a CPU that is not allowed, or not there.
#[test]
fn a_refusal_is_counted_and_nothing_else() {
    let _watchdog = support::watchdog(120);
    let all = mask();
    let (first, last) = (all[0], *all.last().unwrap());
    under(&[last], || {
        let there = 100_000;
        let runtime = Runtime::builder()
            .workers(3)
            .affinity(Affinity::Fixed(vec![last, there, first]))
            .start()
            .unwrap();
        assert_eq!(masks(&runtime), [[last], [last], [last]]);
        assert_eq!(lane_mask(&runtime, Spawn::new().blocked()), [last]);
        let stats = runtime.stats().affinity;
        let refused = if first == last { 1 } else { 2 };
        assert_eq!((stats.applied, stats.refused), (4 - refused, refused));

        let runtime = Runtime::builder()
            .workers(1)
            .affinity(Affinity::Fixed(vec![there]))
            .start()
            .unwrap();
        assert_eq!(masks(&runtime), [[last]]);
        assert_eq!(lane_mask(&runtime, Spawn::new().blocked()), [last]);
        let stats = runtime.stats().affinity;
        assert_eq!((stats.applied, stats.refused), (0, 2));
    });
}

#[test]
fn run_binds_the_calling_thread_and_lets_it_go() {
    let _watchdog = support::watchdog(120);
    let all = mask();
    let first = all[0];
    for _ in 0..3 {
        let outside = Runtime::capabilities();
        let bound = Runtime::builder().workers(1).affinity(Affinity::BestEffort);
        let reason = bound.run(async move {
            assert_eq!(mask(), [first]);
            // A runtime within sees what there is, not its maker's binding.
            assert_eq!(Runtime::capabilities(), outside);
        });
        assert_eq!(reason, ExitReason::Normal);
        assert_eq!(mask(), all);
    }
}

#[test]
fn by_default_nothing_is_bound() {
    let _watchdog = support::watchdog(120);
    let all = mask();
    let runtime = Runtime::builder().workers(2).start().unwrap();
    assert_eq!(masks(&runtime), [all.clone(), all]);
    let stats = runtime.stats().affinity;
    assert_eq!((stats.applied, stats.refused), (0, 0));
}

#[test]
fn a_list_without_a_cpu_is_refused() {
    let empty = Affinity::Fixed(Vec::new());
    let message = support::panic_of(|| Runtime::builder().affinity(empty));
    assert!(message.contains("needs a CPU"), "{message}");
}
