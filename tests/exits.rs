//! How actors end.

#[macro_use]
mod support;

use std::error::Error;
use std::fmt;
use std::panic::panic_any;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use futures::future::{FutureExt, lazy};
use support::{DropCounter, OnDrop, Token, end_of, until_stop};
use uproar::Runtime;
use uproar::prelude::*;

struct Counted(#[expect(dead_code)] Token);

#[derive(Debug)]
struct Broken(u32);

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "broken {}", self.0)
    }
}

impl Error for Broken {}

/// A value that panics when it is dropped, and counts the drops.
struct Bomb(Arc<AtomicUsize>);

impl Drop for Bomb {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
        panic!("the bomb");
    }
}

/// A panic's payload that panics with another such payload, so many times.
struct Chain(u32);

impl Drop for Chain {
    fn drop(&mut self) {
        if self.0 > 0 {
            panic_any(Chain(self.0 - 1));
        }
    }
}

/// A future that is ready, or never is, and runs a closure when it is dropped.
struct Droppy<F: FnMut()> {
    ready: bool,
    _dropped: OnDrop<F>,
}

impl<F: FnMut()> Future for Droppy<F> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.ready {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

/// Spawns an actor, which begins when it is watched, and awaits its end.
async fn end<F>(actor: F) -> ExitReason
where
    F: Future + Send + 'static,
    F::Output: uproar::Outcome,
{
    let begin = lazy(|_| receive::<Typed<()>>()).flatten();
    let actor = spawn(begin.then(|_| actor));
    let end = end_of(&actor);
    actor.send(());
    let reason = end.await;
    while actor.is_alive() {
        yield_now().await;
    }
    reason
}

fn panicked(reason: &ExitReason) -> (&str, &str) {
    match reason {
        ExitReason::Panic(panicked) => (panicked.message(), panicked.location().unwrap()),
        other => panic!("not a panic: {other:?}"),
    }
}

both! {
    // [R18]
    async fn outcomes_are_reasons() {
        assert_eq!(end(async {}).await, ExitReason::Normal);
        assert_eq!(end(async { Ok::<(), &str>(()) }).await, ExitReason::Normal);
        assert_eq!(end(async { Err::<(), _>("text") }).await, ExitReason::error("text"));
        let owned = end(async { Err::<(), _>(String::from("owned")) }).await;
        assert_eq!(owned.to_string(), "error: owned");
        let reason = end(async { Err::<(), _>(Broken(7)) }).await;
        assert_eq!(reason.to_string(), "error: broken 7");
        let ExitReason::Error(error) = &reason else {
            panic!("{reason:?}")
        };
        assert_eq!(error.as_error().downcast_ref::<Broken>().unwrap().0, 7);
        assert!(reason.source().unwrap().is::<Broken>());
    }

    // [R18] a reason that is handed on stays what it is.
    async fn a_reason_as_the_outcome_is_the_reason() {
        for reason in [
            ExitReason::Normal,
            ExitReason::Shutdown,
            ExitReason::Killed,
            ExitReason::NoProcess,
            ExitReason::error("inner"),
        ] {
            assert_eq!(end(std::future::ready(reason.clone())).await, reason);
        }
        let first = end(async { panic!("first") }).await;
        let handed_on = first.clone();
        assert_eq!(end(std::future::ready(handed_on)).await, first);
    }

    // [R18]
    async fn an_actor_may_return_a_reason() {
        let actor = spawn(async {
            let Typed(reason) = receive::<Typed<ExitReason>>().await;
            reason
        });
        let end = end_of(&actor);
        actor.send(ExitReason::Shutdown);
        assert_eq!(end.await, ExitReason::Shutdown);
    }

    // [R18]
    async fn a_panic_has_message_and_place() {
        let line = line!() + 1;
        let reason = end(async { panic!("plain") }).await;
        let (message, place) = panicked(&reason);
        assert_eq!(message, "plain");
        assert!(place.starts_with(&format!("{}:{line}:", file!())), "{place}");
        assert_eq!(reason.to_string(), format!("panic: plain at {place}"));

        let n = 3;
        let reason = end(async move { panic!("formatted {n}") }).await;
        assert_eq!(panicked(&reason).0, "formatted 3");

        let reason = end(async { panic_any(7u32) }).await;
        let (message, place) = panicked(&reason);
        assert!(message.contains("not a string"), "{message}");
        assert!(place.contains("exits.rs"), "{place}");
    }

    // [R18] the place is that of this panic, not of one that was caught before.
    async fn a_caught_panic_leaves_no_place_behind() {
        let line = line!() + 3;
        let reason = end(async {
            let _ = std::panic::catch_unwind(|| panic!("caught"));
            panic!("not caught");
        })
        .await;
        let (message, place) = panicked(&reason);
        assert_eq!(message, "not caught");
        assert!(place.contains(&format!("exits.rs:{line}:")), "{place}");
        // And a caught one alone is none.
        let reason = end(async {
            let _ = std::panic::catch_unwind(|| panic!("caught"));
        });
        assert_eq!(reason.await, ExitReason::Normal);
    }

    // [R18] at its first poll, after a wake, in a child future.
    async fn panics_at_all_places_end_the_actor_alone() {
        for place in 0..3 {
            let witness = spawn(until_stop());
            let actor = spawn(async move {
                if place == 0 {
                    // It may panic before it is watched.
                    panic!("first poll");
                }
                let Typed(()) = receive().await;
                if place == 1 {
                    panic!("after a wake");
                }
                futures::join!(yield_now(), async { panic!("in a child") });
            });
            let end = end_of(&actor);
            actor.send(());
            let reason = end.await;
            assert!(matches!(reason, ExitReason::Panic(_) | ExitReason::NoProcess));
            assert!(place == 0 || reason != ExitReason::NoProcess);
            assert!(witness.is_alive());
            let end = end_of(&witness);
            witness.send(support::Stop);
            assert_eq!(end.await, ExitReason::Normal);
        }
    }

    // [R18] a local that panics when it is dropped at the end of the body: the body panics.
    async fn a_local_that_panics_at_the_end_is_a_panic_of_the_actor() {
        let count = Arc::new(AtomicUsize::new(0));
        let bomb = Bomb(Arc::clone(&count));
        let reason = end(async move {
            let _bomb = bomb;
        })
        .await;
        assert_eq!(panicked(&reason).0, "the bomb");
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }

    // [R27] a destructor that panics after the exit is decided leaves the reason.
    async fn a_destructor_that_panics_leaves_the_reason() {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let actor = spawn(Droppy {
            ready: true,
            _dropped: OnDrop(move || {
                counted.fetch_add(1, Ordering::SeqCst);
                panic!("in the destructor of the future");
            }),
        });
        // It has no receive that could wait for the watcher: only if it has not run yet.
        let reason = end_of(&actor).await;
        assert!(matches!(reason, ExitReason::Normal | ExitReason::NoProcess), "{reason:?}");
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }

    // [R27] [R6] a message that panics when it is dropped: the others are dropped all the same.
    async fn queued_messages_that_panic_lose_nothing() {
        let count = Arc::new(AtomicUsize::new(0));
        let drops = DropCounter::new();
        let actor = spawn(async {
            // Half of what is queued is saved by this.
            let Typed(()) = receive().await;
            "the reason".parse::<u32>().map(drop)
        });
        for _ in 0..10 {
            actor.send(Bomb(Arc::clone(&count)));
            actor.send(Counted(drops.token()));
        }
        let end = end_of(&actor);
        actor.send(());
        let queued = actor.try_send(Counted(drops.token())).is_ok();
        let reason = end.await;
        assert!(matches!(reason, ExitReason::Error(_)), "{reason:?}");
        while drops.count() < 11 {
            yield_now().await;
        }
        assert_eq!(count.load(Ordering::SeqCst), 10);
        assert_eq!(drops.count(), 11, "{queued}");
    }

    // [R18] a payload whose drop panics, also with another such payload.
    async fn payloads_that_panic_when_dropped() {
        for depth in 0..4 {
            let reason = end(async move { panic_any(Chain(depth)) }).await;
            assert!(panicked(&reason).0.contains("not a string"));
        }
        let count = Arc::new(AtomicUsize::new(0));
        let bomb = Bomb(Arc::clone(&count));
        let reason = end(async move { panic_any(bomb) }).await;
        assert!(panicked(&reason).0.contains("not a string"));
        assert_eq!(count.load(Ordering::SeqCst), 1);
        // The worker goes on.
        assert_eq!(end(async {}).await, ExitReason::Normal);
    }

    // [R27] destructors may send and spawn.
    async fn destructors_send_and_spawn() {
        let main = self_address::<Anything>();
        let to = main.clone();
        let guard = OnDrop(move || {
            to.send("sent");
            let to = to.clone();
            spawn(async move { to.send(self_pid()) });
        });
        let actor = spawn(async move {
            let _guard = guard;
            let Typed(()) = receive().await;
            panic!("with the guard");
        });
        actor.send(());
        let Typed(text) = receive::<Typed<&str>>().await;
        assert_eq!(text, "sent");
        let Typed(child) = receive::<Typed<Pid>>().await;
        assert_ne!(child, actor.pid());
    }

    // [R27] and know whose they are.
    async fn destructors_run_as_their_actor() {
        let main = self_address::<Anything>();
        let actor = spawn(async move {
            let _guard = OnDrop(move || main.send((self_pid(), worker_id().is_some())));
            let Typed(()) = receive().await;
            panic!("with the guard");
        });
        actor.send(());
        let Typed((pid, on_worker)) = receive::<Typed<(Pid, bool)>>().await;
        assert_eq!(pid, actor.pid());
        assert!(on_worker);
    }

    // [R18] everything an actor owns is dropped once, whatever it ends with.
    async fn what_an_actor_owns_is_dropped_once() {
        let drops = DropCounter::new();
        for how in 0..3 {
            let (captured, local) = (drops.token(), drops.token());
            let argument = drops.token();
            let reason = end(async move {
                let _captured = &captured;
                let _local = local;
                let own = argument;
                yield_now().await;
                match how {
                    0 => Ok(()),
                    1 => Err("an error"),
                    _ => {
                        let _in_unwinding = own;
                        panic!("a panic")
                    }
                }
            });
            drop(reason.await);
            assert_eq!(drops.count(), 3 * (how + 1));
        }
    }

    // [R18] one that is never spawned drops what it owns.
    async fn an_actor_that_is_not_spawned_is_dropped() {
        #[actor]
        async fn holder(_token: Token) {
            until_stop().await;
        }
        let drops = DropCounter::new();
        drop(holder(drops.token()));
        assert_eq!(drops.count(), 1);
    }
}

// [R18] the main actor's reason is the result of `run`, and of each run anew.
#[test]
fn the_reason_of_the_main_actor() {
    let _watchdog = support::watchdog(60);
    assert_eq!(uproar::run(async {}), ExitReason::Normal);
    let reason = uproar::run(async { Err::<(), _>("text") });
    assert_eq!(reason, ExitReason::error("text"));
    let reason = uproar::run(async { panic!("main") });
    assert_eq!(panicked(&reason).0, "main");
    assert!(panicked(&reason).1.contains("exits.rs"));
    assert_eq!(
        uproar::run(async { ExitReason::Shutdown }),
        ExitReason::Shutdown
    );
}

// [R18] ends are counted by kind, once each.
#[test]
fn ends_are_counted() {
    let runtime = Runtime::builder().manual();
    runtime.spawn(async {});
    runtime.spawn(async { Err::<(), _>("failed") });
    runtime.spawn(async { panic!("one") });
    runtime.spawn(async { panic_any(Chain(2)) });
    runtime.spawn(until_stop());
    runtime.run_until_idle();
    let stats = runtime.stats();
    let figures = (stats.spawned, stats.exited, stats.panicked, stats.live);
    assert_eq!(figures, (5, 4, 2, 1));
    assert_eq!(runtime.processes().len(), 1);
    let on_workers: u64 = stats.workers.iter().map(|worker| worker.panicked).sum();
    assert_eq!(on_workers, 2);
}

// [R18] reasons tell their kinds apart.
#[test]
fn reasons_are_equal_by_kind_and_text() {
    assert_eq!(ExitReason::error("a"), ExitReason::error(String::from("a")));
    assert_ne!(ExitReason::error("a"), ExitReason::error("b"));
    assert_ne!(ExitReason::Normal, ExitReason::Shutdown);
    assert!(!ExitReason::Normal.is_failure() && !ExitReason::Shutdown.is_failure());
    for failure in [
        ExitReason::Killed,
        ExitReason::NoProcess,
        ExitReason::NoConnection,
        ExitReason::error(""),
    ] {
        assert!(failure.is_failure());
        assert_ne!(failure, ExitReason::Normal);
    }
}
