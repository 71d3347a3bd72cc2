//! Drops a future after so many polls, and counts what that leaves.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use uproar::{Handle, Runtime};

use super::support::{OnDrop, watchdog};

const SEEDS: u64 = 60;

struct Counting;

thread_local! {
    static LIVE: Cell<i64> = const { Cell::new(0) };
}

// SAFETY: `System` does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.set(LIVE.get() + 1);
        // SAFETY: by the caller's contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.set(LIVE.get() - 1);
        // SAFETY: by the caller's contract.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How a future is polled, and when it is dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// When it has said that it waits.
    AtOnce,
    /// When it has been woken, before it is polled again.
    Woken,
    /// It is polled without having been woken, too.
    Nudged,
    /// As `AtOnce`, but it has a waker of its own.
    OwnWaker,
    /// As `Woken`, but it has a waker of its own.
    OwnWakerWoken,
}

const WAYS: [Way; 5] = [
    Way::AtOnce,
    Way::Woken,
    Way::Nudged,
    Way::OwnWaker,
    Way::OwnWakerWoken,
];

impl Way {
    fn waits_for_a_wake(self) -> bool {
        matches!(self, Way::Woken | Way::OwnWakerWoken)
    }

    fn has_own_waker(self) -> bool {
        matches!(self, Way::OwnWaker | Way::OwnWakerWoken)
    }
}

pub struct Cutter {
    pub runtime: Handle,
    pub way: Way,
    pub polls: usize,
    pub has_cut: AtomicBool,
}

/// Wakes somebody else.
struct Forward(Waker);

impl Wake for Forward {
    fn wake(self: Arc<Self>) {
        self.0.wake_by_ref();
    }
}

impl Cutter {
    pub fn new(runtime: Handle, way: Way, polls: usize) -> Cutter {
        Cutter {
            runtime,
            way,
            polls,
            has_cut: AtomicBool::new(false),
        }
    }

    /// Awaits a future for so many polls. Its output, if it has come to its end.
    pub async fn cut<F: Future>(&self, make: impl FnOnce() -> F) -> Option<F::Output> {
        let timers = self.runtime.stats().timers;
        let mut left = self.polls;
        let mut future = Some(Box::pin(make()));
        let mut own = None;
        let output = poll_fn(|cx| {
            if left == 0 {
                return Poll::Ready(None);
            }
            left -= 1;
            let own = own.get_or_insert_with(|| Arc::new(Forward(cx.waker().clone())));
            let waker = match self.way.has_own_waker() {
                true => Waker::from(Arc::clone(own)),
                false => cx.waker().clone(),
            };
            let future = future.as_mut().unwrap().as_mut();
            match future.poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(output) => Poll::Ready(Some(output)),
                Poll::Pending if left == 0 && !self.way.waits_for_a_wake() => Poll::Ready(None),
                Poll::Pending => {
                    // Not for ever, or time would stand still.
                    if self.way == Way::Nudged && left + 6 > self.polls {
                        cx.waker().wake_by_ref();
                    }
                    Poll::Pending
                }
            }
        })
        .await;
        future = None;
        drop(future);
        assert_eq!(self.runtime.stats().timers, timers, "no deadline is left");
        if let Some(own) = own {
            assert_eq!(Arc::strong_count(&own), 1, "nobody has its waker");
        }
        if output.is_none() {
            self.has_cut.store(true, Ordering::Relaxed);
        }
        output
    }
}

/// Runs a case once, as often as `rounds` says, in one runtime. Whether anything was cut.
fn run(case: &impl AsyncFn(&Cutter), seed: u64, way: Way, polls: usize, rounds: usize) -> bool {
    let _says = OnDrop(|| {
        if std::thread::panicking() {
            eprintln!("with seed {seed}, {way:?}, dropped after {polls} polls");
        }
    });
    let runtime = Runtime::builder().workers(2).seed(seed).manual();
    let cutter = Cutter::new(runtime.handle(), way, polls);
    let mut halfway = 0;
    for round in 0..rounds {
        runtime.block_on(case(&cutter));
        runtime.run_until_idle();
        let stats = runtime.stats();
        assert_eq!(
            (stats.live, stats.timers),
            (0, 0),
            "all that was begun has ended"
        );
        if round == rounds / 2 {
            halfway = LIVE.get();
        }
    }
    // What the runtime keeps for later is bounded, and does not grow with each round.
    let grown = usize::try_from(LIVE.get() - halfway).unwrap_or(0);
    assert!(
        rounds < 2 || grown < rounds / 4,
        "{grown} allocations are left"
    );
    cutter.has_cut.load(Ordering::Relaxed)
}

/// Runs a case with every number of polls after which its future can be dropped.
pub fn every_cut(case: impl AsyncFn(&Cutter)) {
    let _watchdog = watchdog(300);
    for seed in 0..SEEDS {
        for way in WAYS {
            let mut polls = 0;
            while run(&case, seed, way, polls, 1) {
                polls += 1;
                assert!(polls < 200, "it comes to its end some day");
            }
        }
    }
    // And again and again in one runtime, for what would pile up.
    for way in WAYS {
        let mut polls = 0;
        while run(&case, 7, way, polls, 64) {
            polls += 1;
        }
    }
}
