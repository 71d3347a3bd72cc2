//! What is allocated, and given back.
//!
//! One test, for the allocator counts for the whole OS process.

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::thread;

use support::until_stop;
use uproar::prelude::*;
use uproar::{Handle, Runtime};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static LIVE_BYTES: AtomicI64 = AtomicI64::new(0);

// SAFETY: `System` does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
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

fn allocations() -> u64 {
    ALLOCATIONS.load(Ordering::SeqCst)
}

fn live_bytes() -> i64 {
    LIVE_BYTES.load(Ordering::SeqCst)
}

/// Messages that may be on their way at once in a measured stream.
const WINDOW: u64 = 10_000;

const MIB: i64 = 1 << 20;

#[test]
fn allocations_are_few_and_given_back() {
    let _watchdog = support::watchdog(600);
    spawns_take_two();
    small_messages_of_one_worker_take_none();
    large_messages_take_one();
    streams_take_one_in_sixty_messages();
    a_burst_gives_its_memory_back();
    so_does_one_that_is_received_in_another_order();
    actors_give_their_memory_back();
    names_give_their_memory_back();
}

/// An actor with a small future: its task, and at most one more.
fn spawns_take_two() {
    const ACTORS: u64 = 10_000;
    let runtime = Runtime::builder().workers(1).manual();
    for inside in [false, true] {
        let before = allocations();
        if inside {
            runtime.block_on(async {
                for _ in 0..ACTORS {
                    spawn(until_stop());
                }
            });
        } else {
            for _ in 0..ACTORS {
                runtime.spawn(until_stop());
            }
        }
        let each = (allocations() - before) as f64 / ACTORS as f64;
        assert!((1.0..=2.0).contains(&each), "{each} for each spawn");
    }
    runtime.run_until_idle();
    let before = allocations();
    let bounded = Spawn::new().mailbox(Mailbox::bounded(8));
    for _ in 0..ACTORS {
        runtime.spawn_with(&bounded, until_stop()).unwrap();
    }
    let each = (allocations() - before) as f64 / ACTORS as f64;
    assert!(each <= 3.0, "{each} for each spawn with a bounded mailbox");
}

/// Allocations in the second half of a run of so many turns; the first half warms up.
macro_rules! in_the_second_half {
    ($turns:expr, |$n:ident| $turn:block) => {{
        let mut before = 0;
        for $n in 0..$turns {
            if $n == $turns / 2 {
                before = allocations();
            }
            $turn
        }
        allocations() - before
    }};
}

/// Not one, in many messages of up to three words.
fn small_messages_of_one_worker_take_none() {
    const TURNS: u64 = 200_000;
    let runtime = Runtime::builder().workers(1).start().unwrap();
    let (told, got) = std::sync::mpsc::channel();
    runtime.spawn(async move {
        let me = self_address::<Anything>();
        let peer = spawn(async move {
            loop {
                let Typed(message) = receive::<Typed<[u64; 3]>>().await;
                me.send(message);
            }
        });
        let ping_pong = in_the_second_half!(TURNS, |n| {
            peer.send([n; 3]);
            let Typed(message) = receive::<Typed<[u64; 3]>>().await;
            assert_eq!(message, [n; 3]);
        });
        told.send(("ping-pong", ping_pong)).unwrap();

        let me = self_address::<Anything>();
        let selective = in_the_second_half!(TURNS, |n| {
            // Skipped once, then taken.
            me.send(n);
            me.send(());
            let Typed(()) = receive().await;
            assert_eq!(receive::<Typed<u64>>().await, Typed(n));
        });
        told.send(("selective receive", selective)).unwrap();

        let me = self_address::<Anything>();
        let envelopes = in_the_second_half!(TURNS, |n| {
            me.send(n);
            let any: Envelope = receive().await;
            assert_eq!(any.downcast::<u64>().unwrap(), n);
        });
        told.send(("envelopes", envelopes)).unwrap();
    });
    for (what, count) in got {
        assert_eq!(count, 0, "{what}");
    }
}

/// One box each.
fn large_messages_take_one() {
    const TURNS: u64 = 20_000;
    let runtime = Runtime::builder().workers(1).manual();
    let count = runtime.block_on(async {
        let me = self_address::<Anything>();
        in_the_second_half!(TURNS, |n| {
            me.send([n; 4]);
            let Typed(message) = receive::<Typed<[u64; 4]>>().await;
            assert_eq!(message, [n; 4]);
        })
    });
    // The main actor is pinned, and the queue of the pinned takes a block now and then.
    let boxes = TURNS / 2;
    assert!((boxes..boxes + boxes / 100).contains(&count), "{count}");
}

/// A stream that goes one way: the nodes come back through the depot, in magazines of
/// 64, and a magazine is all that is allocated.
fn streams_take_one_in_sixty_messages() {
    const MESSAGES: u64 = 1_000_000;
    let runtime = Runtime::builder().workers(2).start().unwrap();
    fill_the_depot(&runtime);
    for outside in [false, true] {
        let received = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&received);
        let receiver = runtime.spawn(async move {
            for n in 0..MESSAGES {
                assert_eq!(receive::<Typed<u64>>().await, Typed(n));
                counted.store(n + 1, Ordering::Release);
            }
        });
        let (told, got) = std::sync::mpsc::channel();
        if outside {
            let before = thread::spawn(move || {
                let mut before = 0;
                for n in 0..MESSAGES {
                    while received.load(Ordering::Acquire) + WINDOW <= n {
                        thread::yield_now();
                    }
                    if n == MESSAGES / 2 {
                        before = allocations();
                    }
                    receiver.send(n);
                }
                while receiver.is_alive() {
                    thread::yield_now();
                }
                allocations() - before
            });
            told.send(before.join().unwrap()).unwrap();
        } else {
            runtime.spawn(async move {
                let count = in_the_second_half!(MESSAGES, |n| {
                    while received.load(Ordering::Acquire) + WINDOW <= n {
                        yield_now().await;
                    }
                    receiver.send(n);
                });
                told.send(count).unwrap();
            });
        }
        let count = got.recv().unwrap();
        // The few are the test's own: its channel and its thread.
        assert!(count <= 8, "{count} from outside: {outside}");
    }
}

/// Leaves the nodes of two windows behind, for the streams to use.
fn fill_the_depot(runtime: &Handle) {
    let actor = runtime.spawn(until_stop());
    for n in 0..2 * WINDOW {
        actor.send(n);
    }
    actor.send(support::Stop);
    while runtime.stats().live > 0 {
        thread::yield_now();
    }
}

/// After a burst no more is kept than the depots hold: about 4 MiB.
fn a_burst_gives_its_memory_back() {
    const BURST: u64 = 1_000_000;
    let runtime = Runtime::builder().workers(1).start().unwrap();
    for saved in [false, true] {
        let before = live_bytes();
        let go = Arc::new(AtomicBool::new(false));
        let gate = Arc::clone(&go);
        let actor = runtime.spawn(async move {
            while !gate.load(Ordering::Acquire) {
                yield_now().await;
            }
            if saved {
                // Looks at all of them, and saves them.
                let Typed(()) = receive().await;
            }
            for n in 0..BURST {
                assert_eq!(receive::<Typed<u64>>().await, Typed(n));
            }
            if !saved {
                let Typed(()) = receive().await;
            }
            let Typed(done) = receive::<Typed<ReplyTo<()>>>().await;
            done.send(());
            until_stop().await;
        });
        for n in 0..BURST {
            actor.send(n);
        }
        actor.send(());
        let full = live_bytes() - before;
        assert!(full > 10 * MIB, "a burst: {full} bytes");
        go.store(true, Ordering::Release);
        actor.ask(|done: ReplyTo<()>| done).wait().unwrap();
        // The actor lives on, with an empty mailbox.
        let left = live_bytes() - before;
        assert!(left < 4 * MIB, "after the burst {left} bytes, {saved}");
        actor.send(support::Stop);
        while actor.is_alive() {
            thread::yield_now();
        }
    }
}

/// Nodes come in slabs, which go when all of a slab's are back. Here each of a slab's nodes
/// is another actor's, and they come back one actor after the other.
fn so_does_one_that_is_received_in_another_order() {
    const ACTORS: u64 = 1_000;
    const EACH: u64 = 1_000;
    let runtime = Runtime::builder().workers(1).start().unwrap();
    let go = Arc::new(AtomicBool::new(false));
    let actors: Vec<_> = (0..ACTORS)
        .map(|_| {
            let gate = Arc::clone(&go);
            runtime.spawn(async move {
                while !gate.load(Ordering::Acquire) {
                    yield_now().await;
                }
                for n in 0..EACH {
                    assert_eq!(receive::<Typed<u64>>().await, Typed(n));
                }
                let Typed(done) = receive::<Typed<ReplyTo<()>>>().await;
                done.send(());
                until_stop().await;
            })
        })
        .collect();
    let before = live_bytes();
    for n in 0..EACH {
        for actor in &actors {
            actor.send(n);
        }
    }
    let full = live_bytes() - before;
    assert!(full > 10 * MIB, "a burst: {full} bytes");
    go.store(true, Ordering::Release);
    for actor in &actors {
        actor.ask(|done: ReplyTo<()>| done).wait().unwrap();
    }
    let left = live_bytes() - before;
    assert!(left < 4 * MIB, "after the burst {left} bytes");
    for actor in actors {
        actor.send(support::Stop);
    }
    while runtime.stats().live > 0 {
        thread::yield_now();
    }
}

/// Actors that come and go leave nothing.
fn actors_give_their_memory_back() {
    const ACTORS: u64 = 100_000;
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let come_and_go = || {
        let runtime = runtime.handle();
        let parent = runtime.spawn(async {
            for n in 0..ACTORS {
                spawn(until_stop()).send(support::Stop);
                if n % 64 == 0 {
                    yield_now().await;
                }
            }
        });
        while parent.is_alive() || runtime.stats().live > 0 {
            thread::yield_now();
        }
    };
    come_and_go();
    let before = live_bytes();
    for _ in 0..3 {
        come_and_go();
    }
    let left = live_bytes() - before;
    assert!(left < MIB, "{left} bytes after {} actors", 3 * ACTORS);
}

/// So do their names, also while some stay.
fn names_give_their_memory_back() {
    const NAMES: u64 = 100_000;
    let runtime = Runtime::builder().workers(1).manual();
    let named = |n: u64| Spawn::new().name(format!("session-{n}"));
    let stay: Vec<Address<Anything>> = (0..10)
        .map(|n| runtime.spawn_with(&named(NAMES + n), until_stop()).unwrap())
        .collect();
    let come_and_go = || {
        for n in 0..NAMES {
            let actor: Address<Anything> = runtime.spawn_with(&named(n), until_stop()).unwrap();
            actor.send(support::Stop);
        }
        let full = live_bytes();
        assert_eq!(runtime.stats().names as u64, NAMES + 10);
        runtime.run_until_idle();
        assert_eq!(runtime.stats().names, 10);
        full
    };
    come_and_go();
    let before = live_bytes();
    let full = come_and_go() - before;
    assert!(full > 10 * MIB, "{full} bytes");
    come_and_go();
    let left = live_bytes() - before;
    assert!(left < MIB / 16, "{left} bytes after {NAMES} names");
    assert!(stay.iter().all(Address::is_alive));
}
