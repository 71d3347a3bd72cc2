//! What a receive costs beside messages that it does not want, and by macro beside
//! by hand; what a call of a handler costs beside an ask.
//!
//! `cargo bench --bench receive`

use std::hint::black_box;
use std::time::Instant;

use uproar::{Runtime, prelude::*};

struct Junk(#[expect(dead_code, reason = "nobody wants one")] u64);
struct Number(u64);
struct Echo(u64, ReplyTo<u64>);
struct Echoed(u64);

struct Echoer;

#[actor]
impl Echoer {
    #[receive]
    async fn echo(&mut self, Echoed(n): Echoed) -> u64 {
        n
    }
}

const ROUNDS: u64 = 1_000_000;

/// Queues messages that nobody receives, and has them looked at once.
async fn junk(saved: u64) {
    for n in 0..saved {
        send(self_pid(), Junk(n));
    }
    send(self_pid(), Number(0));
    let Typed(Number(_)) = receive::<Typed<Number>>().await;
}

fn per_round(start: Instant) -> f64 {
    start.elapsed().as_nanos() as f64 / ROUNDS as f64
}

#[receive]
async fn by_macro(saved: u64) -> f64 {
    junk(saved).await;
    let start = Instant::now();
    for n in 0..ROUNDS {
        send(self_pid(), Number(n));
        #[receive]
        match receive().await {
            Number(n) => {
                black_box(n);
            }
        }
    }
    per_round(start)
}

async fn by_hand(saved: u64) -> f64 {
    junk(saved).await;
    let start = Instant::now();
    for n in 0..ROUNDS {
        send(self_pid(), Number(n));
        consume_reductions(1).await;
        let Number(n) = receive_if(|_: &Number| true).await;
        black_box(n);
    }
    per_round(start)
}

async fn asking(saved: u64) -> f64 {
    let echo = spawn(async {
        loop {
            let Typed(Echo(n, reply_to)) = receive::<Typed<Echo>>().await;
            reply_to.send(n);
        }
    });
    junk(saved).await;
    let start = Instant::now();
    for n in 0..ROUNDS {
        black_box(echo.ask(|reply_to| Echo(n, reply_to)).await.unwrap());
    }
    per_round(start)
}

async fn calling(saved: u64) -> f64 {
    let echo = spawn(Echoer);
    junk(saved).await;
    let start = Instant::now();
    for n in 0..ROUNDS {
        black_box(echo.call(Echoed(n)).await.unwrap());
    }
    per_round(start)
}

fn measure<F: Future<Output = f64> + 'static>(make: impl Fn() -> F) -> f64 {
    let mut runs: Vec<f64> = (0..7)
        .map(|_| {
            let (tx, rx) = std::sync::mpsc::channel();
            let future = make();
            Runtime::builder().workers(1).run(async move {
                tx.send(future.await).unwrap();
            });
            rx.recv().unwrap()
        })
        .collect();
    runs.sort_by(f64::total_cmp);
    runs[runs.len() / 2]
}

fn main() {
    println!("| ns per round, median of 7 | 0 saved | 1,000,000 saved | ratio |");
    println!("|---|--:|--:|--:|");
    let row = |name: &str, empty: f64, full: f64| {
        println!("| {name} | {empty:.1} | {full:.1} | {:.2} |", full / empty);
        empty
    };
    let by_macro = row(
        "send to self and receive, `#[receive] match`",
        measure(|| by_macro(0)),
        measure(|| by_macro(1_000_000)),
    );
    let by_hand = row(
        "send to self and receive, `receive_if`",
        measure(|| by_hand(0)),
        measure(|| by_hand(1_000_000)),
    );
    row("ask", measure(|| asking(0)), measure(|| asking(1_000_000)));
    row(
        "call of a handler",
        measure(|| calling(0)),
        measure(|| calling(1_000_000)),
    );
    println!(
        "\n`#[receive] match` / `receive_if`: {:.2}",
        by_macro / by_hand
    );
}
