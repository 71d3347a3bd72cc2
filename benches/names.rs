//! What names cost: looking up, sending, registering and spawning, with few names and with many, on
//! one worker and on two at once.
//!
//! `cargo bench --bench names`

use std::sync::Arc;
use std::time::Instant;

use uproar::{Runtime, prelude::*};

const ROUNDS: u32 = 100_000;
const HOUR: Duration = Duration::from_secs(3600);

/// The names that are looked up: all of them, in an order that is none.
struct Names(Arc<[String]>, usize);

impl Names {
    fn next(&mut self) -> &str {
        self.1 = (self.1 + 7919) % self.0.len();
        &self.0[self.1]
    }
}

fn per_round(start: Instant) -> f64 {
    start.elapsed().as_nanos() as f64 / f64::from(ROUNDS)
}

async fn looks_up(mut names: Names) -> f64 {
    let start = Instant::now();
    for _ in 0..ROUNDS {
        assert!(where_is(names.next()).is_some());
        consume_reductions(1).await;
    }
    per_round(start)
}

async fn looks_up_an_address(mut names: Names) -> f64 {
    let start = Instant::now();
    for _ in 0..ROUNDS {
        assert!(where_is_as::<Anything>(names.next()).is_some());
        consume_reductions(1).await;
    }
    per_round(start)
}

/// To itself, who takes it at once.
async fn sends_by_address(_: Names) -> f64 {
    let me = self_address::<Anything>();
    let start = Instant::now();
    for n in 0..ROUNDS {
        me.send(n);
        let Typed(_) = receive::<Typed<u32>>().await;
    }
    per_round(start)
}

async fn sends_by_name(_: Names) -> f64 {
    let own = format!("own {}", self_pid());
    register(&*own, self_pid()).expect("its own");
    let start = Instant::now();
    for n in 0..ROUNDS {
        send_named(&own, n).expect("it is here");
        let Typed(_) = receive::<Typed<u32>>().await;
    }
    per_round(start)
}

async fn registers(_: Names) -> f64 {
    let own: Arc<str> = format!("own {}", self_pid()).into();
    let start = Instant::now();
    for _ in 0..ROUNDS {
        register(Arc::clone(&own), self_pid()).expect("its own");
        unregister(&own);
        consume_reductions(1).await;
    }
    per_round(start)
}

/// One actor that comes and goes.
async fn spawns(how: Spawn) -> f64 {
    let start = Instant::now();
    for _ in 0..ROUNDS {
        let (_, monitor) = how.clone().spawn_monitor(async {}).expect("free");
        let down: Down = receive().await;
        assert_eq!(down.monitor, monitor);
    }
    per_round(start)
}

async fn spawns_without(_: Names) -> f64 {
    spawns(Spawn::new()).await
}

async fn spawns_with(_: Names) -> f64 {
    spawns(Spawn::new().name(format!("child of {}", self_pid()))).await
}

/// The least of fifteen, for what else a machine does adds to it; on `workers` at once, beside so many names.
fn measure<F>(workers: usize, names: &Arc<[String]>, make: fn(Names) -> F) -> f64
where
    F: Future<Output = f64> + Send + 'static,
{
    let runtime = Runtime::builder()
        .workers(workers)
        .start()
        .expect("threads");
    for name in names.iter() {
        let how = Spawn::new().name(&**name);
        runtime
            .spawn_with(&how, std::future::pending::<()>())
            .expect("free");
    }
    let inbox = runtime.inbox::<f64>();
    let mut runs: Vec<f64> = (0..15)
        .map(|_| {
            for worker in 0..workers {
                let (to, names) = (inbox.address(), Names(Arc::clone(names), worker * 31));
                runtime
                    .spawn_pinned_on(
                        WorkerId::new(worker),
                        async move { to.send(make(names).await) },
                    )
                    .expect("so many workers");
            }
            let each = (0..workers).map(|_| inbox.recv_timeout(HOUR).expect("in an hour"));
            each.sum::<f64>() / workers as f64
        })
        .collect();
    runs.sort_by(f64::total_cmp);
    runs[0]
}

fn main() {
    println!("ns each; names: 10, 1,000, 100,000; on one worker | on two at once");
    let all: Vec<Arc<[String]>> = [10, 1_000, 100_000]
        .map(|count| (0..count).map(|n| format!("session-{n:06}")).collect())
        .into();
    macro_rules! rows {
        ($($what:literal: $make:path),* $(,)?) => {
            $(
                print!("{:28}", $what);
                for workers in [1, 2] {
                    for names in &all {
                        print!(" {:6.0}", measure(workers, names, $make));
                    }
                    print!(" |");
                }
                println!();
            )*
        };
    }
    rows! {
        "where_is": looks_up,
        "where_is_as": looks_up_an_address,
        "send by address and receive": sends_by_address,
        "send by name and receive": sends_by_name,
        "register and unregister": registers,
        "spawn and end": spawns_without,
        "the same, with a name": spawns_with,
    }
}
