//! One thief against a worker whose queue is long: what a stolen actor costs must
//! not depend on the length.
//!
//! `cargo bench --bench steal`

use std::hint::spin_loop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use uproar::{Runtime, prelude::*};

/// Nanoseconds per actor that the thief stole and ran, out of a queue of `queued`.
fn thief(queued: u64) -> f64 {
    let ns = Arc::new(AtomicU64::new(0));
    let out = Arc::clone(&ns);
    let runtime = Runtime::builder().workers(2);
    let reason = runtime.run(async move {
        // The thief is kept busy until the queue is full.
        let (go, busy) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicBool::new(false)),
        );
        let (hold, began) = (Arc::clone(&go), Arc::clone(&busy));
        spawn(async move {
            began.store(true, Ordering::Release);
            while !hold.load(Ordering::Acquire) {
                spin_loop();
            }
        });
        // One more, so that the first goes to the queue, where the thief takes it.
        spawn(async {});
        while !busy.load(Ordering::Acquire) {
            spin_loop();
        }
        let ran = Arc::new(AtomicU64::new(0));
        for _ in 0..queued {
            let ran = Arc::clone(&ran);
            spawn(async move {
                ran.fetch_add(1, Ordering::Relaxed);
            });
        }
        let start = Instant::now();
        go.store(true, Ordering::Release);
        // This worker runs nothing meanwhile.
        let wanted = queued.min(1000);
        while ran.load(Ordering::Relaxed) < wanted {
            spin_loop();
        }
        ns.store(
            start.elapsed().as_nanos() as u64 / wanted,
            Ordering::Relaxed,
        );
    });
    assert_eq!(reason, ExitReason::Normal);
    out.load(Ordering::Relaxed) as f64
}

fn main() {
    println!(
        "| queued at the victim | ns per stolen actor (of the first 1,000), best of 15 | median |"
    );
    println!("|--:|--:|--:|");
    for queued in [1_000, 10_000, 100_000, 1_000_000] {
        let mut runs: Vec<f64> = (0..15).map(|_| thief(queued)).collect();
        runs.sort_by(f64::total_cmp);
        println!("| {queued} | {:.0} | {:.0} |", runs[0], runs[7]);
    }
}
