//! Behind `#[uproar::main]` and `#[uproar::test]`.

use std::cell::RefCell;
use std::future::Future;
use std::rc::Rc;

use crate::process::ExitReason;
use crate::runtime::{Caught, Runtime};

/// How a test runs.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum TestPlan {
    /// On real threads.
    Threads,
    /// Once on the manual runtime.
    Simulate,
    /// So many times on the manual runtime, each with a seed of its own.
    Seeds(u64),
    /// Once on the manual runtime, with this seed.
    Seed(u64),
}

/// Runs a program's main future on threads.
#[doc(hidden)]
pub fn run_main<T, F>(workers: Option<usize>, future: F) -> T
where
    T: 'static,
    F: Future<Output = T> + 'static,
{
    let output = Rc::new(RefCell::new(None));
    let slot = Rc::clone(&output);
    let mut builder = Runtime::builder();
    if let Some(workers) = workers {
        builder = builder.workers(workers);
    }
    let reason: ExitReason = builder.run(async move {
        let result = Caught(future).await;
        *slot.borrow_mut() = Some(result);
    });
    match output.take() {
        Some(Ok(output)) => output,
        Some(Err(payload)) => std::panic::resume_unwind(payload),
        None => panic!("uproar: the main actor ended early: {reason}"),
    }
}

/// The seed that `UPROAR_SEED` asks for, in decimal or as `0x..`.
fn seed_from_environment() -> Option<u64> {
    let text = std::env::var("UPROAR_SEED").ok()?;
    let text = text.trim();
    let seed = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(&hex.replace('_', ""), 16),
        None => text.replace('_', "").parse(),
    };
    match seed {
        Ok(seed) => Some(seed),
        Err(_) => {
            panic!("uproar: UPROAR_SEED={text} is not a seed; use a number such as 48879 or 0xBEEF")
        }
    }
}

/// Runs a test.
#[doc(hidden)]
pub fn run_test<T, F, Fut>(plan: TestPlan, workers: Option<usize>, make: F) -> T
where
    T: 'static,
    F: Fn() -> Fut,
    Fut: Future<Output = T> + 'static,
{
    let simulate = |seed: u64| {
        let mut builder = Runtime::builder().seed(seed);
        if let Some(workers) = workers {
            builder = builder.workers(workers);
        }
        let told = Told(seed);
        let output = builder.manual().block_on(make());
        std::mem::forget(told);
        output
    };
    match (plan, seed_from_environment()) {
        (TestPlan::Threads, _) => {
            let workers = workers.or_else(|| {
                // At least two, so that tests meet real concurrency.
                Some(std::thread::available_parallelism().map_or(2, |n| n.get().max(2)))
            });
            run_main(workers, make())
        }
        (TestPlan::Simulate | TestPlan::Seeds(_), Some(seed)) => simulate(seed),
        (TestPlan::Simulate, None) => simulate(0),
        (TestPlan::Seed(seed), _) => simulate(seed),
        (TestPlan::Seeds(count), None) => {
            assert!(count > 0, "uproar: `seeds = 0` runs nothing; use 1 or more");
            let last = count - 1;
            for seed in 0..last {
                simulate(seed);
            }
            simulate(last)
        }
    }
}

/// Names the seed when the run under it fails.
struct Told(u64);

impl Drop for Told {
    fn drop(&mut self) {
        eprintln!(
            "uproar: failed with seed {0}; run it alone with UPROAR_SEED={0}",
            self.0
        );
    }
}
