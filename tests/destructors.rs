//! Destructors of the user's that call back into the runtime, block, or panic.

#[macro_use]
mod support;

use std::error::Error;
use std::fmt;
use std::future::pending;
use std::panic::panic_any;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use support::{DropCounter, OnDrop, Stop, down_of, downs, exits, some_slices, until_stop};
use uproar::prelude::*;
use uproar::{Handle, Runtime};

fn failed() -> ExitReason {
    ExitReason::error("failed")
}

const HOUR: Duration = Duration::from_secs(3600);

/// Panics when it is dropped, and counts the drops.
struct Bomb(Arc<AtomicUsize>);

impl Drop for Bomb {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
        // One that unwinds already would abort.
        if !std::thread::panicking() {
            panic!("the bomb");
        }
    }
}

/// An error that is a bomb.
struct BombError(#[expect(dead_code)] Bomb);

impl fmt::Debug for BombError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BombError")
    }
}

impl fmt::Display for BombError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a bomb")
    }
}

impl Error for BombError {}

/// A panic's payload that panics with another such payload, so many times.
struct Chain(u32);

impl Drop for Chain {
    fn drop(&mut self) {
        if self.0 > 0 {
            panic_any(Chain(self.0 - 1));
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Value {
    Payload,
    ChainOfPayloads,
    Queued,
    Saved,
    LocalAtTheEnd,
    LocalWhenKilled,
    Reason,
    UnusedReason,
    Reply,
}

async fn with_a_bomb(value: Value, bombs: Arc<AtomicUsize>) -> ExitReason {
    let bomb = Bomb(Arc::clone(&bombs));
    let me = self_address::<Anything>();
    let Typed(Stop) = receive().await;
    match value {
        Value::Payload => panic_any(bomb),
        Value::ChainOfPayloads => panic_any(Chain(3)),
        Value::Queued | Value::Saved => {
            me.send(bomb);
            if matches!(value, Value::Saved) {
                assert!(try_receive::<Typed<u8>>().is_none());
            }
            failed()
        }
        Value::LocalAtTheEnd => {
            let _local = bomb;
            failed()
        }
        Value::LocalWhenKilled => {
            kill(self_pid());
            let _local = bomb;
            pending().await
        }
        Value::Reason => ExitReason::error(BombError(bomb)),
        Value::UnusedReason => {
            send_exit(self_pid(), failed());
            send_exit(self_pid(), ExitReason::error(BombError(bomb)));
            pending().await
        }
        Value::Reply => {
            // Nobody waits for it.
            let asked = spawn(async move {
                let Typed(reply_to) = receive::<Typed<ReplyTo<Bomb>>>().await;
                reply_to.send(bomb);
                failed()
            });
            drop(asked.ask(|reply_to: ReplyTo<Bomb>| reply_to));
            some_slices().await;
            failed()
        }
    }
}

both! {
    // [R18] [R27] [R6] case 28: the end is told once, and the worker lives.
    async fn values_that_panic_when_they_are_dropped() {
        trap_exit(true);
        for value in [
            Value::Payload,
            Value::ChainOfPayloads,
            Value::Queued,
            Value::Saved,
            Value::LocalAtTheEnd,
            Value::LocalWhenKilled,
            Value::UnusedReason,
            Value::Reply,
            Value::Reason,
        ] {
            let bombs = Arc::new(AtomicUsize::new(0));
            let drops = DropCounter::new();
            let how = Spawn::new().link();
            let (actor, watch) =
                how.spawn_monitor(with_a_bomb(value, Arc::clone(&bombs))).unwrap();
            let second = monitor(&actor);
            actor.send(Stop);
            // One behind the bomb, which is dropped all the same.
            actor.send(drops.token());
            let reason = down_of(watch).await;
            assert!(reason.is_failure(), "{value:?}: {reason:?}");
            assert_eq!(down_of(second).await, reason);
            assert_eq!(exits(), [(actor.pid(), reason.clone())]);
            some_slices().await;
            assert_eq!((exits(), downs()), (vec![], vec![]));
            assert_eq!(drops.count(), 1, "{value:?}");
            if let Value::Reason = value {
                // The last of it is here.
                let last = std::panic::AssertUnwindSafe(|| drop(reason));
                let _ = std::panic::catch_unwind(last);
            }
            // A thread may be about to let the last of it go.
            while bombs.load(Ordering::SeqCst) == 0 {
                yield_now().await;
            }
            assert_eq!(bombs.load(Ordering::SeqCst), 1, "{value:?}");
        }
        let (_, watch) = spawn_monitor(async {});
        assert_eq!(down_of(watch).await, ExitReason::Normal);
    }

    // [R18] case 28: the last of a reason goes with the actor itself.
    async fn a_reason_that_nobody_gets_may_panic_when_it_is_dropped() {
        for n in 0..4 {
            let bombs = Arc::new(AtomicUsize::new(0));
            let bomb = Bomb(Arc::clone(&bombs));
            let actor = spawn(async move {
                let Typed(Stop) = receive().await;
                let reason = ExitReason::error(BombError(bomb));
                match n {
                    0 => return reason,
                    1 => exit(reason).await,
                    2 => send_exit(self_pid(), reason),
                    _ => {
                        // Its own, and a signal that comes before it.
                        send_exit(self_pid(), failed());
                        return reason;
                    }
                }
                pending().await
            });
            actor.send(Stop);
            while bombs.load(Ordering::SeqCst) == 0 {
                yield_now().await;
            }
            assert_eq!(bombs.load(Ordering::SeqCst), 1);
            while actor.is_alive() {
                yield_now().await;
            }
        }
    }

    // [R27] case 22: what a destructor calls under a lock of its own runs nobody's code.
    async fn a_destructor_under_a_lock_runs_nobody_else() {
        let lock = Arc::new(Mutex::new(0));
        let takes_it = Arc::clone(&lock);
        let main = self_address::<Anything>();
        let next = {
            let (lock, main) = (Arc::clone(&lock), main.clone());
            spawn(async move {
                // Sent to, then signalled, it takes the same lock, also when it is dropped.
                let dropped = Arc::clone(&lock);
                let _guard = OnDrop(move || *dropped.lock().unwrap() += 1);
                let Typed(Stop) = receive().await;
                *lock.lock().unwrap() += 1;
                main.send("took it");
                pending::<()>().await
            })
        };
        let peer = next.clone();
        let watch = monitor(&next);
        let (holder, held) = spawn_monitor(async move {
            let _guard = OnDrop(move || {
                let guard = takes_it.lock().unwrap();
                peer.send(Stop);
                let _ = monitor(&peer);
                let lock = Arc::clone(&takes_it);
                spawn(async move { *lock.lock().unwrap() += 1 });
                let linked = Arc::clone(&takes_it);
                // It ends before it has begun.
                let guard_of_it = OnDrop(move || *linked.lock().unwrap() += 1);
                spawn_link(async move {
                    let _guard = guard_of_it;
                    pending::<()>().await
                });
                drop(guard);
            });
            until_stop().await;
        });
        some_slices().await;
        kill(&holder);
        assert_eq!(down_of(held).await, ExitReason::Killed);
        let Typed("took it") = receive::<Typed<&str>>().await else { panic!() };
        send_exit(&next, failed());
        assert_eq!(down_of(watch).await, failed());
        // Two by the peer, two by those that the destructor has spawned.
        while *lock.lock().unwrap() < 4 {
            yield_now().await;
        }
    }

    // [R27] what it ties itself to while it ends, is told of the end.
    async fn ties_that_a_destructor_makes_end_with_the_actor() {
        let peer = spawn(until_stop());
        let watch = monitor(&peer);
        let to = peer.pid();
        let (actor, ends) = spawn_monitor(async move {
            let _guard = OnDrop(move || {
                link(to);
                assert!(demonitor(monitor(to)));
                let _ = monitor(to);
                link(self_pid());
                unlink(self_pid());
            });
            until_stop().await;
        });
        some_slices().await;
        send_exit(&actor, failed());
        assert_eq!(down_of(ends).await, failed());
        assert_eq!(down_of(watch).await, failed());
    }
}

/// What a guard of `a_shutdown_with_destructors_that_call_back` does.
fn call_back(n: usize, neighbour: Pid, main: &Handle) {
    match n % 9 {
        0 => send(neighbour, n),
        1 => send_exit(neighbour, failed()),
        2 => drop(demonitor(monitor(neighbour))),
        3 => link(neighbour),
        4 => {
            link(neighbour);
            unlink(neighbour);
        }
        5 => kill(neighbour),
        6 => {
            let timer = send_after(HOUR, &neighbour, n);
            let _ = timer.cancel();
        }
        7 => drop(spawn(pending::<()>())),
        _ => {
            let _ = main.spawn(pending::<()>());
            main.send_exit(neighbour, ExitReason::Normal);
            let _ = main.shutdown(HOUR);
        }
    }
}

// [R57] case 23: from outside, and from inside an actor.
#[test]
fn a_shutdown_with_destructors_that_call_back() {
    const ACTORS: usize = 1_000;
    let _watchdog = support::watchdog(120);
    for inside in [false, true] {
        for workers in [1, 3] {
            let runtime = Runtime::builder().workers(workers).start().unwrap();
            let drops = DropCounter::new();
            let panics = Arc::new(AtomicBool::new(false));
            let pids = Arc::new(Mutex::new(Vec::new()));
            let (ready, parked) = (Arc::new(AtomicUsize::new(0)), ACTORS);
            for n in 0..ACTORS {
                let token = drops.token();
                let (pids, panics) = (Arc::clone(&pids), Arc::clone(&panics));
                let (handle, ready) = (runtime.handle(), Arc::clone(&ready));
                let own = Arc::clone(&pids);
                let actor = runtime.spawn(async move {
                    let _guard = OnDrop(move || {
                        let _token = &token;
                        let neighbour: Pid = pids.lock().unwrap()[(n + 1) % ACTORS];
                        let calls = || call_back(n, neighbour, &handle);
                        let calls = std::panic::AssertUnwindSafe(calls);
                        if std::panic::catch_unwind(calls).is_err() {
                            panics.store(true, Ordering::SeqCst);
                        }
                    });
                    ready.fetch_add(1, Ordering::SeqCst);
                    until_stop().await;
                });
                own.lock().unwrap().push(actor.pid());
            }
            while ready.load(Ordering::SeqCst) < parked {
                std::thread::yield_now();
            }
            if inside {
                let handle = runtime.handle();
                runtime.spawn(async move {
                    assert!(!handle.shutdown(HOUR).ended);
                });
                while !runtime.has_ended() {
                    std::thread::yield_now();
                }
            }
            let report = runtime.shutdown(HOUR);
            assert!(report.ended && report.stuck.is_empty());
            assert_eq!(drops.count(), ACTORS);
            assert!(!panics.load(Ordering::SeqCst));
        }
    }
}
