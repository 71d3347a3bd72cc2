//! That links and monitors leave nothing behind, however many there have been.
//!
//! One test, for the allocator counts for the whole OS process.

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::future::Future;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

use support::{dead, down_of, downs, exits, until_stop};
use uproar::Runtime;
use uproar::prelude::*;

struct Counting;

static LIVE_BYTES: AtomicI64 = AtomicI64::new(0);

// SAFETY: `System` does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE_BYTES.fetch_add(layout.size() as i64, Ordering::Relaxed);
        // SAFETY: by the caller's contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE_BYTES.fetch_sub(layout.size() as i64, Ordering::Relaxed);
        // SAFETY: by the caller's contract.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const CYCLES: usize = if cfg!(debug_assertions) {
    5_000
} else {
    1_000_000
};

/// Nodes of a burst are kept for later: as many as there were on their way when a receiver
/// had not run for a while. Any leak is sixteen bytes a cycle at least.
const SLACK: i64 = 60_000 + CYCLES as i64;

/// Grows by next to nothing between a tenth of the cycles and their end.
async fn cycles<F: Future<Output = ()>>(what: &str, mut cycle: impl FnMut() -> F) {
    let mut warm = 0;
    for n in 0..CYCLES {
        if n == CYCLES / 10 {
            warm = LIVE_BYTES.load(Ordering::SeqCst);
        }
        cycle().await;
    }
    // Signals that are on their way are there until their receiver has run.
    let end = Instant::now() + Duration::from_secs(60);
    let mut grown = i64::MAX;
    while grown >= SLACK && Instant::now() < end {
        yield_now().await;
        grown = LIVE_BYTES.load(Ordering::SeqCst) - warm;
    }
    assert!(grown < SLACK, "{what}: {grown} bytes in {CYCLES} cycles");
}

/// Waits until an actor and all that it has told is gone.
async fn ended(watch: MonitorRef) {
    down_of(watch).await;
    consume_reductions(1).await;
}

async fn all_cycles() {
    cycles("a watcher of many that die", || async {
        ended(spawn_monitor(async {}).1).await;
    })
    .await;

    let target = spawn(until_stop());
    let of = target.pid();
    cycles("a target of many that die", || async {
        let watcher = async move {
            let _ = monitor(of);
            let _ = monitor(of);
        };
        ended(spawn_monitor(watcher).1).await;
    })
    .await;

    cycles("a peer of many that die", || async {
        ended(spawn_monitor(async move { link(of) }).1).await;
    })
    .await;
    assert!(target.is_alive());

    trap_exit(true);
    cycles("one that traps, a peer of many that die", || async {
        let (_, watch) = Spawn::new().link().spawn_monitor(async {}).unwrap();
        ended(watch).await;
        let Exit { .. } = receive().await;
    })
    .await;

    cycles("monitors that are taken down", || async {
        assert!(demonitor(monitor(of)));
        consume_reductions(1).await;
    })
    .await;

    cycles("links that are cut", || async {
        link(of);
        unlink(of);
        consume_reductions(1).await;
    })
    .await;

    let dead = dead().await;
    cycles("what is said to the dead", || async {
        link(dead);
        unlink(dead);
        let _ = demonitor(monitor(dead));
        yield_now().await;
    })
    .await;

    cycles("kills", || async {
        let (child, watch) = spawn_monitor(until_stop());
        kill(&child);
        ended(watch).await;
    })
    .await;
    assert_eq!((exits(), downs()), (vec![], vec![]));
}

// [R33]
#[test]
fn ties_leave_nothing_behind() {
    let _watchdog = support::watchdog(600);
    Runtime::builder().seed(1).manual().block_on(all_cycles());
    let reason = Runtime::builder().workers(2).run(all_cycles());
    assert_eq!(reason, ExitReason::Normal);
}
