//! Case 1: two wake-ups from two threads, and none is swallowed; a hang is a failure.

use std::future::{Future, pending};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::time::Instant;
use std::{hint, thread};

use uproar::prelude::*;
use uproar::{Handle, Recipient, Runtime};

use super::support::{DropCounter, until_stop, watchdog};
use super::{Pong, rounds};

struct Ping(Recipient<Pong>);

// [R51] two threads send at once to an actor that waits; a swallowed wake-up is a hang.
#[test]
fn two_wakes_from_two_threads() {
    let _watchdog = watchdog(600);
    const ROUNDS: u64 = rounds(1_000_000);
    for workers in [1, 2] {
        let runtime = Runtime::builder().workers(workers).start().unwrap();
        let echo = runtime.spawn(async {
            loop {
                let Typed(Ping(to)) = receive().await;
                to.send(Pong);
            }
        });
        // The rounds of the two meet without a barrier, which would take all the time:
        // each is answered before it goes on.
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let (echo, inbox) = (echo.clone(), runtime.inbox::<Pong>());
                thread::spawn(move || {
                    for _ in 0..ROUNDS / 2 {
                        echo.send(Ping(inbox.address()));
                        // Looks for a while, then waits.
                        if !(0..100).any(|_| inbox.try_recv().is_some()) {
                            let pong = inbox.recv_timeout(Duration::from_secs(300));
                            assert!(pong.is_ok(), "an answer is missing");
                        }
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
    }
}

// [R51] the same, meeting at a barrier, with an actor that yields in between, or sleeps.
#[test]
fn two_wakes_at_a_barrier() {
    let _watchdog = watchdog(600);
    const ROUNDS: u64 = rounds(50_000);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let rounds_done = Arc::new(AtomicU64::new(0));
    let done = Arc::clone(&rounds_done);
    let actor = runtime.spawn(async move {
        for round in 0..ROUNDS {
            let Typed(Pong) = receive().await;
            match round % 3 {
                0 => yield_now().await,
                1 => {
                    let limit = Duration::from_secs(60);
                    let Ok(Typed(Pong)) = receive().timeout(limit).await else {
                        panic!("round {round}: one is missing");
                    };
                    done.fetch_add(1, Ordering::Release);
                    continue;
                }
                _ => {}
            }
            let Typed(Pong) = receive().await;
            done.fetch_add(1, Ordering::Release);
        }
    });
    let barrier = Arc::new(Barrier::new(2));
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let (actor, barrier) = (actor.clone(), Arc::clone(&barrier));
            let done = Arc::clone(&rounds_done);
            thread::spawn(move || {
                for round in 0..ROUNDS {
                    barrier.wait();
                    actor.send(Pong);
                    while done.load(Ordering::Acquire) <= round {
                        thread::yield_now();
                    }
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    while actor.is_alive() {
        thread::yield_now();
    }
}

/// What an actor is to be woken by.
#[receive]
enum Event {
    Pong(Typed<Pong>),
    Exit(Exit),
    Down(Down),
}

/// How many of each a round brings.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Events {
    pongs: u32,
    exits: u32,
    downs: u32,
}

impl Events {
    fn count(self) -> u32 {
        self.pongs + self.exits + self.downs
    }
}

/// Where an actor and two threads meet in each round.
#[derive(Default)]
struct Meeting {
    /// Rounds that the actor is ready for, and those that it is done with.
    ready: AtomicU64,
    done: AtomicU64,
    /// Another actor, which has a part in the round.
    other: Mutex<Option<Pid>>,
}

impl Meeting {
    fn other(&self) -> Pid {
        self.other.lock().unwrap().expect("it was told before")
    }
}

/// Waits for another thread, which may need this one's core.
pub fn wait_until(condition: impl Fn() -> bool) {
    let mut turn = 0u32;
    while !condition() {
        turn += 1;
        if turn.is_multiple_of(64) {
            thread::yield_now();
        } else {
            hint::spin_loop();
        }
    }
}

/// An actor that gets these in each round. In between it yields, or waits with a limit, or
/// just waits.
async fn woken<F: Future<Output = ()>>(
    meeting: Arc<Meeting>,
    rounds: u64,
    expected: Events,
    prepare: impl Fn(Arc<Meeting>) -> F,
) {
    trap_exit(true);
    for round in 0..rounds {
        prepare(Arc::clone(&meeting)).await;
        meeting.ready.store(round + 1, Ordering::Release);
        let mut got = Events::default();
        while got.count() < expected.count() {
            let limit = Duration::from_secs(300);
            let event = match round % 3 {
                0 => receive::<Event>().timeout(limit).await.unwrap(),
                _ => receive::<Event>().await,
            };
            match event {
                Event::Pong(_) => got.pongs += 1,
                Event::Exit(exit) => {
                    assert!(!matches!(exit.reason, ExitReason::NoProcess));
                    got.exits += 1;
                }
                Event::Down(down) => {
                    assert_eq!(down.pid, meeting.other());
                    got.downs += 1;
                }
            }
            if round % 3 == 1 {
                yield_now().await;
            }
        }
        assert_eq!(got, expected, "round {round}");
        meeting.done.store(round + 1, Ordering::Release);
    }
}

/// In each round one thread sends a message while `second` does the other thing, now a
/// little earlier, now a little later. With one worker, and with more.
fn two_wakes<F: Future<Output = ()> + Send + 'static>(
    events: Events,
    prepare: fn(Arc<Meeting>) -> F,
    second: fn(&Handle, &Meeting, Pid),
) {
    let _watchdog = watchdog(600);
    const ROUNDS: u64 = if cfg!(debug_assertions) {
        5_000
    } else {
        100_000
    };
    for workers in [1, 3] {
        let runtime = Runtime::builder().workers(workers).start().unwrap();
        let meeting = Arc::new(Meeting::default());
        let actor = runtime.spawn(woken(Arc::clone(&meeting), ROUNDS, events, prepare));
        let (handle, other, pid) = (runtime.handle(), Arc::clone(&meeting), actor.pid());
        let thread = thread::spawn(move || {
            for round in 0..ROUNDS {
                wait_until(|| other.ready.load(Ordering::Acquire) > round);
                (0..round * 31 % 257).for_each(|_| hint::spin_loop());
                second(&handle, &other, pid);
            }
        });
        for round in 0..ROUNDS {
            wait_until(|| meeting.ready.load(Ordering::Acquire) > round);
            (0..round * 37 % 257).for_each(|_| hint::spin_loop());
            actor.send(Pong);
            wait_until(|| meeting.done.load(Ordering::Acquire) > round);
        }
        thread.join().unwrap();
        wait_until(|| !actor.is_alive());
        assert_eq!(runtime.stats().panicked, 0);
    }
}

async fn nothing(_: Arc<Meeting>) {}

// [R51] [R28]
#[test]
fn a_message_and_an_exit_signal() {
    let events = Events {
        pongs: 1,
        exits: 1,
        downs: 0,
    };
    two_wakes(events, nothing, |handle, _, pid| {
        handle.send_exit(pid, ExitReason::error("to be trapped"));
    });
}

// [R51] [R19] one that is monitored ends.
#[test]
fn a_message_and_a_down() {
    async fn prepare(meeting: Arc<Meeting>) {
        let (child, _) = spawn_monitor(until_stop());
        let child: Address<Anything> = child;
        *meeting.other.lock().unwrap() = Some(child.pid());
    }

    let events = Events {
        pongs: 1,
        exits: 0,
        downs: 1,
    };
    two_wakes(events, prepare, |handle, meeting, _| {
        handle.kill(meeting.other());
    });
}

// [R51] [R23] one that is linked ends, and a monitor of it fires.
#[test]
fn a_message_and_the_end_of_a_linked_actor() {
    async fn prepare(meeting: Arc<Meeting>) {
        let (child, _) = Spawn::new().link().spawn_monitor(until_stop()).unwrap();
        let child: Address<Anything> = child;
        *meeting.other.lock().unwrap() = Some(child.pid());
    }

    let events = Events {
        pongs: 1,
        exits: 1,
        downs: 1,
    };
    two_wakes(events, prepare, |handle, meeting, _| {
        handle.send_exit(meeting.other(), ExitReason::error("ended"));
    });
}

// [R51] [R38] a timer's message comes at the moment, or the limit of the receive.
#[test]
fn a_message_and_a_timer() {
    const AFTER: Duration = Duration::from_micros(40);

    let _watchdog = watchdog(600);
    const ROUNDS: u64 = rounds(50_000);
    for workers in [1, 3] {
        let runtime = Runtime::builder().workers(workers);
        let runtime = runtime.timer_resolution(AFTER / 4).start().unwrap();
        let meeting = Arc::new(Meeting::default());
        let own = Arc::clone(&meeting);
        let actor = runtime.spawn(async move {
            for round in 0..ROUNDS {
                let mut pongs = 1;
                if round % 2 == 0 {
                    send_after(AFTER, &self_pid(), Pong);
                    pongs += 1;
                }
                own.ready.store(round + 1, Ordering::Release);
                while pongs > 0 {
                    // With a limit that is reached at the same moment, or without.
                    let received = match round / 2 % 2 {
                        0 => receive::<Typed<Pong>>().timeout(AFTER).await.is_ok(),
                        _ => {
                            let Typed(Pong) = receive().await;
                            true
                        }
                    };
                    pongs -= u32::from(received);
                }
                own.done.store(round + 1, Ordering::Release);
            }
            assert!(try_receive::<Envelope>().is_none());
        });
        for round in 0..ROUNDS {
            wait_until(|| meeting.ready.load(Ordering::Acquire) > round);
            let at = Instant::now() + Duration::from_micros(round * 7 % 80);
            wait_until(|| Instant::now() >= at);
            actor.send(Pong);
            wait_until(|| meeting.done.load(Ordering::Acquire) > round);
        }
        wait_until(|| !actor.is_alive());
        assert_eq!((runtime.stats().panicked, runtime.stats().timers), (0, 0));
    }
}

// [R28] [R31] a kill reaches a parked actor, whatever it waits for, also when something else
// wakes it at the same time.
#[test]
fn a_kill_reaches_a_parked_actor() {
    let _watchdog = watchdog(600);
    const ROUNDS: u64 = if cfg!(debug_assertions) {
        5_000
    } else {
        100_000
    };
    for workers in [1, 3] {
        let runtime = Runtime::builder().workers(workers).start().unwrap();
        let mute = runtime.spawn(pending::<()>());
        let full = Spawn::new().mailbox(Mailbox::bounded(1));
        let full = runtime.spawn_with(&full, pending::<()>()).unwrap();
        full.send(());
        let drops = DropCounter::new();
        let meeting = Arc::new(Meeting::default());
        let (handle, other) = (runtime.handle(), Arc::clone(&meeting));
        let thread = thread::spawn(move || {
            for round in 0..ROUNDS {
                wait_until(|| other.ready.load(Ordering::Acquire) > round);
                (0..round * 31 % 257).for_each(|_| hint::spin_loop());
                handle.send(other.other(), Pong);
                wait_until(|| other.done.load(Ordering::Acquire) > round);
            }
        });
        for round in 0..ROUNDS {
            let (token, mute, full) = (drops.token(), mute.clone(), full.clone());
            let waits = Arc::clone(&meeting);
            let actor = runtime.spawn(async move {
                let _token = token;
                *waits.other.lock().unwrap() = Some(self_pid());
                waits.ready.store(round + 1, Ordering::Release);
                let hour = Duration::from_secs(3600);
                match round % 6 {
                    0 => until_stop().await,
                    1 => drop(receive::<Typed<u8>>().timeout(hour).await),
                    2 => sleep(hour).await,
                    3 => drop(mute.ask(|to: ReplyTo<()>| to).await),
                    4 => drop(full.deliver(()).await),
                    _ => pending().await,
                }
            });
            wait_until(|| meeting.ready.load(Ordering::Acquire) > round);
            (0..round * 37 % 257).for_each(|_| hint::spin_loop());
            runtime.kill(&actor);
            assert!(!actor.is_alive());
            wait_until(|| drops.count() as u64 > round);
            meeting.done.store(round + 1, Ordering::Release);
        }
        thread.join().unwrap();
        assert_eq!(drops.count() as u64, ROUNDS);
        assert_eq!(runtime.stats().timers, 0);
    }
}
