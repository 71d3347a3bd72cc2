//! Random programs, each of a seed of its own, which is told when one fails.

use std::env;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{SystemTime, UNIX_EPOCH};

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use crate::support::{panic_text, watchdog};

/// What decides on the order in which a program's actors run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Schedule {
    /// The seed: one run tells all.
    OfSeed,
    /// Threads: each run is another.
    OfThreads,
}

/// So many in a debug build, or in a release build.
pub fn sized(debug: usize, release: usize) -> usize {
    if cfg!(debug_assertions) {
        debug
    } else {
        release
    }
}

/// The same program again, as often as may bring the same order about.
const REPLAYS: usize = 1_000;

/// Runs `test` on so many programs, of seeds that no run before had; or on the one of
/// `UPROAR_SEED`, if that is set. One that fails is made smaller if its schedule is its
/// seed's.
pub fn run<S: Strategy<Value: Debug>>(
    programs: usize,
    schedule: Schedule,
    strategy: &S,
    test: impl Fn(u64, &S::Value),
) {
    if let Some(seed) = wanted() {
        let times = match schedule {
            Schedule::OfSeed => 1,
            Schedule::OfThreads => REPLAYS,
        };
        (0..times).for_each(|_| run_one(seed, schedule, strategy, &test));
        return;
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let mut seed = since.map_or(0, |since| since.as_nanos() as u64);
    for _ in 0..programs {
        seed = scrambled(seed);
        run_one(seed, schedule, strategy, &test);
    }
}

fn run_one<S: Strategy<Value: Debug>>(
    seed: u64,
    schedule: Schedule,
    strategy: &S,
    test: &impl Fn(u64, &S::Value),
) {
    let _watchdog = watchdog(120);
    let config = Config {
        cases: 1,
        failure_persistence: None,
        max_shrink_iters: match schedule {
            Schedule::OfSeed => 10_000,
            Schedule::OfThreads => 0,
        },
        ..Config::default()
    };
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let result = TestRunner::new_with_rng(config, rng).run(strategy, |program| {
        // Caught here, so that the text of the panic is known.
        catch_unwind(AssertUnwindSafe(|| test(seed, &program)))
            .map_err(|payload| TestCaseError::fail(panic_text(&*payload).to_owned()))
    });
    if let Err(error) = result {
        let thread = std::thread::current();
        let name = thread.name().unwrap_or("");
        panic!(
            "{error}\nseed {seed:#x}; again with\n    \
             UPROAR_SEED={seed:#x} cargo test --test signals_model {name}"
        );
    }
}

/// A seed from the environment, as `#[uproar::test]` has it.
fn wanted() -> Option<u64> {
    let text = env::var("UPROAR_SEED").ok()?;
    let seed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    Some(seed.expect("UPROAR_SEED is a number"))
}

/// SplitMix64.
fn scrambled(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
