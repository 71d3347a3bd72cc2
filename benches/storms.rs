//! What it costs that very many linked actors end of one cause: chain, ring and star, at
//! 10^4, 10^5 and 10^6 actors.
//!
//! `cargo bench --bench storms`

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use uproar::{Runtime, prelude::*};

#[derive(Clone, Copy)]
enum Shape {
    Chain,
    Ring,
    Star,
    /// No links: what it costs to kill each.
    Apart,
}

/// Counts its drops.
struct Token(Arc<AtomicUsize>);

impl Drop for Token {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

async fn linked(to: Option<Pid>, ready: Arc<AtomicUsize>, token: Token) {
    black_box(&token);
    to.into_iter().for_each(link);
    ready.fetch_add(1, Ordering::Relaxed);
    let Typed(peer) = receive::<Typed<Pid>>().await;
    link(peer);
    ready.fetch_add(1, Ordering::Relaxed);
    std::future::pending().await
}

fn wait_for(count: &AtomicUsize, until: usize) {
    while count.load(Ordering::Relaxed) < until {
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Nanoseconds an actor to spawn and link, and to end.
fn storm(shape: Shape, actors: usize) -> (f64, f64) {
    let runtime = Runtime::builder().start().unwrap();
    let (ready, drops) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let mut pids = Vec::with_capacity(actors);
    let start = Instant::now();
    for _ in 0..actors {
        let to = match shape {
            Shape::Chain | Shape::Ring => pids.last().copied(),
            Shape::Star => pids.first().copied(),
            Shape::Apart => None,
        };
        let actor = linked(to, Arc::clone(&ready), Token(Arc::clone(&drops)));
        pids.push(runtime.spawn(actor).pid());
    }
    wait_for(&ready, actors);
    if let Shape::Ring = shape {
        runtime.send(pids[0], pids[actors - 1]);
        wait_for(&ready, actors + 1);
    }
    let made = start.elapsed();
    let start = Instant::now();
    if let Shape::Apart = shape {
        pids.iter().for_each(|&pid| runtime.kill(pid));
    } else {
        runtime.kill(pids[0]);
    }
    wait_for(&drops, actors);
    let ended = start.elapsed();
    while runtime.stats().live > 0 {
        std::thread::yield_now();
    }
    let each = |span: Duration| span.as_nanos() as f64 / actors as f64;
    (each(made), each(ended))
}

fn main() {
    println!(
        "{:<8}{:>10}{:>16}{:>12}",
        "shape", "actors", "spawn+link ns", "end ns"
    );
    let shapes = [
        ("chain", Shape::Chain),
        ("ring", Shape::Ring),
        ("star", Shape::Star),
        ("apart", Shape::Apart),
    ];
    for (name, shape) in shapes {
        for actors in [10_000, 100_000, 1_000_000] {
            let mut runs: Vec<_> = (0..3).map(|_| storm(shape, actors)).collect();
            runs.sort_by(|a, b| a.1.total_cmp(&b.1));
            let (made, ended) = runs[1];
            println!("{name:<8}{actors:>10}{made:>16.0}{ended:>12.0}");
        }
    }
}
