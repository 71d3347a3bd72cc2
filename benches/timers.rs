//! What timers cost: start and cancel, with none and with a million pending; and how
//! late 100,000 sleepers wake up.
//!
//! `cargo bench --bench timers`

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use futures::FutureExt;
use uproar::{Runtime, prelude::*};

const ROUNDS: u32 = 1_000_000;
const HOUR: Duration = Duration::from_secs(3600);

/// Polls a sleep once and drops it: a deadline is started and cancelled.
async fn sleeps(rounds: u32) -> f64 {
    let start = Instant::now();
    for n in 0..rounds {
        assert!(
            sleep(HOUR + Duration::from_micros(n.into()))
                .now_or_never()
                .is_none()
        );
        consume_reductions(1).await;
    }
    per_round(start, rounds)
}

/// A timed receive that waits and is dropped.
async fn receives(rounds: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..rounds {
        let receive = receive::<Typed<()>>().timeout(HOUR);
        assert!(receive.now_or_never().is_none());
        consume_reductions(1).await;
    }
    per_round(start, rounds)
}

async fn messages(rounds: u32) -> f64 {
    let me = self_address::<Anything>();
    let start = Instant::now();
    for n in 0..rounds {
        let timer = send_after(HOUR, &me, n);
        assert!(timer.cancel().is_some());
        consume_reductions(1).await;
    }
    per_round(start, rounds)
}

fn per_round(start: Instant, rounds: u32) -> f64 {
    start.elapsed().as_nanos() as f64 / f64::from(rounds)
}

/// The median of seven, on `workers` at once, beside so many pending ones.
fn measure<F>(workers: usize, pending: u32, make: fn(u32) -> F) -> f64
where
    F: Future<Output = f64> + Send + 'static,
{
    let runtime = Runtime::builder().workers(workers).start().unwrap();
    let inbox = runtime.inbox::<f64>();
    let keep = runtime.spawn(std::future::pending::<()>());
    for n in 0..pending {
        let spread = Duration::from_micros(u64::from(n) * 7919 % 3_600_000_000);
        runtime.send_after(HOUR + spread, &keep, ());
    }
    let mut runs: Vec<f64> = (0..7)
        .map(|_| {
            for _ in 0..workers {
                let to = inbox.address();
                runtime.spawn(async move { to.send(make(ROUNDS).await) });
            }
            let each = (0..workers).map(|_| inbox.recv_timeout(HOUR).unwrap());
            each.sum::<f64>() / workers as f64
        })
        .collect();
    runs.sort_by(f64::total_cmp);
    runs[runs.len() / 2]
}

/// CPU seconds of this process so far.
fn cpu_s() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = stat.rsplit(')').next().map_or(0, |rest| {
        let fields = rest.split_whitespace().skip(11).take(2);
        fields.filter_map(|n| n.parse::<u64>().ok()).sum()
    });
    ticks as f64 / 100.0
}

/// So many actors sleep 1 to 1000 ms; how late each wakes up, in microseconds.
fn sleepers(count: u32) -> (Vec<u32>, f64) {
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let late: Arc<[AtomicU32]> = (0..count).map(|_| AtomicU32::new(0)).collect();
    let inbox = runtime.inbox::<()>();
    // All begin at once, when all are there.
    let begin = Instant::now() + Duration::from_millis(500);
    for n in 0..count {
        let (late, done) = (Arc::clone(&late), inbox.address());
        let span = Duration::from_millis(1 + u64::from(n) * 7919 % 1000);
        runtime.spawn(async move {
            let due = begin + span;
            sleep_until(due).await;
            let late_by = Instant::now().saturating_duration_since(due);
            late[n as usize].store(late_by.as_micros() as u32, Ordering::Relaxed);
            if n % 1000 == 0 {
                done.send(());
            }
        });
    }
    std::thread::sleep(begin.saturating_duration_since(Instant::now()));
    let before = cpu_s();
    for _ in (0..count).step_by(1000) {
        inbox.recv_timeout(HOUR).unwrap();
    }
    while runtime.stats().live > 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let cpu = cpu_s() - before;
    let mut late: Vec<u32> = late.iter().map(|n| n.load(Ordering::Relaxed)).collect();
    late.sort_unstable();
    (late, cpu)
}

fn main() {
    println!("| start + cancel, ns, median of 7 | 0 pending | 1,000,000 pending |");
    println!("|---|--:|--:|");
    for workers in [1, 2] {
        let row = |name: &str, none: f64, many: f64| {
            println!("| {name}, {workers} worker(s) | {none:.0} | {many:.0} |");
        };
        let all = [0, 1_000_000];
        let [none, many] = all.map(|pending| measure(workers, pending, sleeps));
        row("`sleep`", none, many);
        let [none, many] = all.map(|pending| measure(workers, pending, receives));
        row("`receive().timeout()`", none, many);
        let [none, many] = all.map(|pending| measure(workers, pending, messages));
        row("`send_after`", none, many);
    }
    println!("\n| 100,000 sleepers | p50 µs | p99 | p999 | max | CPU s |");
    println!("|---|--:|--:|--:|--:|--:|");
    for _ in 0..3 {
        let (late, cpu) = sleepers(100_000);
        let at = |p: usize| late[(late.len() * p / 1000).min(late.len() - 1)];
        println!(
            "| 1-1000 ms, 2 workers | {} | {} | {} | {} | {cpu:.2} |",
            at(500),
            at(990),
            at(999),
            at(1000)
        );
    }
}
