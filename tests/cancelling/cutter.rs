//! Drops a future after so many polls, and counts what that leaves.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use uproar::{Builder, Handle, Runtime};

use super::support::{OnDrop, watchdog};

const SEEDS: u64 = 60;
const IO_SEEDS: u64 = 20;

/// On threads, where no more can be told of when a future ends.
const MOST_POLLS: usize = 6;
const ROUNDS: usize = 20;

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
    /// A limit that is to come: long where time is virtual.
    pub limit: Duration,
}

/// Whether something comes true that another thread is about to do.
pub fn soon(condition: impl Fn() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(60);
    while !condition() {
        if Instant::now() > end {
            return false;
        }
        thread::yield_now();
    }
    true
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
            limit: Duration::from_secs(1),
        }
    }

    /// Awaits a future for so many polls. Its output, if it has come to its end.
    pub async fn cut<F: Future>(&self, make: impl FnOnce() -> F) -> Option<F::Output> {
        let before = self.runtime.stats();
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
        assert_eq!(
            self.runtime.stats().timers,
            before.timers,
            "no deadline is left"
        );
        // Whoever is about to wake it may have the waker, and count it, a moment longer.
        let none_is_left = || self.runtime.stats().io_waits <= before.io_waits;
        assert!(soon(none_is_left), "no wait is left");
        if let Some(own) = own {
            assert!(
                soon(|| Arc::strong_count(&own) == 1),
                "nobody has its waker"
            );
        }
        if output.is_none() {
            self.has_cut.store(true, Ordering::Relaxed);
        }
        output
    }
}

/// Says which run it was, if it panics.
fn named(seed: Option<u64>, way: Way, polls: usize) -> OnDrop<impl FnMut()> {
    OnDrop(move || {
        if thread::panicking() {
            let driver = seed.map_or("threads".into(), |seed| format!("seed {seed}"));
            eprintln!("with {driver}, {way:?}, dropped after {polls} polls");
        }
    })
}

/// What is to be none when a case is over: actors, deadlines, waits for I/O, and sources.
fn left(runtime: &Handle) -> [usize; 4] {
    let stats = runtime.stats();
    let live = usize::try_from(stats.live).unwrap();
    [live, stats.timers, stats.io_waits, stats.io_sources]
}

/// Runs a case once, as often as `rounds` says, in one runtime. Whether anything was cut.
fn run(case: &impl AsyncFn(&Cutter), how: Manual, way: Way, polls: usize, rounds: usize) -> bool {
    let _says = named(Some(how.seed), way, polls);
    let runtime = how.builder().manual();
    let cutter = Cutter::new(runtime.handle(), way, polls);
    let mut halfway = 0;
    for round in 0..rounds {
        runtime.block_on(case(&cutter));
        runtime.run_until_idle();
        assert_eq!(left(&runtime), [0; 4], "all that was begun has ended");
        if round == rounds / 2 {
            halfway = LIVE.get();
        }
    }
    // What the runtime keeps for later is bounded, and does not grow with each round.
    if rounds > 1 && how.kind != Kind::OtherThreads {
        let grown = usize::try_from(LIVE.get() - halfway).unwrap_or(0);
        assert!(grown < rounds / 4, "{grown} allocations are left");
    }
    cutter.has_cut.load(Ordering::Relaxed)
}

/// What takes part in a case.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The runtime alone.
    Runtime,
    /// Real I/O.
    Io,
    /// Threads of others, which may let go of what this one has made.
    OtherThreads,
}

/// A manual runtime.
#[derive(Clone, Copy)]
struct Manual {
    kind: Kind,
    seed: u64,
}

impl Manual {
    fn builder(self) -> Builder {
        // A limit of a wait for I/O comes although the I/O does not.
        let jump = self.kind != Kind::Runtime;
        let builder = Runtime::builder().workers(2);
        builder.seed(self.seed).jump_over_io(jump)
    }
}

fn cut_by_seeds(case: &impl AsyncFn(&Cutter), seeds: u64, kind: Kind) {
    for seed in 0..seeds {
        for way in WAYS {
            let mut polls = 0;
            while run(case, Manual { kind, seed }, way, polls, 1) {
                polls += 1;
                assert!(polls < 200, "it comes to its end some day");
            }
        }
    }
    // And again and again in one runtime, for what would pile up.
    for way in WAYS {
        let mut polls = 0;
        while run(case, Manual { kind, seed: 7 }, way, polls, 64) {
            polls += 1;
        }
    }
}

/// Runs a case with every number of polls after which its future can be dropped.
pub fn every_cut(case: impl AsyncFn(&Cutter)) {
    let _watchdog = watchdog(300);
    cut_by_seeds(&case, SEEDS, Kind::Runtime);
}

/// The same with real I/O, under seeds and on threads.
pub fn every_cut_of_io(case: impl AsyncFn(&Cutter) + Copy + Send + 'static) {
    let _watchdog = watchdog(300);
    cut_by_seeds(&case, IO_SEEDS, Kind::Io);
    every_cut_on_threads(case);
}

/// The same for what asks threads that are not the runtime's.
pub fn every_cut_of_questions(case: impl AsyncFn(&Cutter) + Copy + Send + 'static) {
    let _watchdog = watchdog(300);
    cut_by_seeds(&case, IO_SEEDS, Kind::OtherThreads);
    every_cut_on_threads(case);
}

/// The same on threads alone.
pub fn every_cut_on_threads(case: impl AsyncFn(&Cutter) + Copy + Send + 'static) {
    let _watchdog = watchdog(300);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    for way in WAYS {
        for polls in 0..MOST_POLLS {
            let _says = named(None, way, polls);
            for _ in 0..ROUNDS {
                let handle = runtime.handle();
                let (done, over) = mpsc::channel();
                runtime.spawn_pinned_local(move || async move {
                    let mut cutter = Cutter::new(handle, way, polls);
                    cutter.limit = Duration::from_millis(1);
                    case(&cutter).await;
                    done.send(()).unwrap();
                });
                over.recv().expect("the case has panicked");
                let over = soon(|| left(&runtime) == [0; 4]);
                assert!(over, "{:?}: all that was begun has ended", left(&runtime));
            }
        }
    }
}
