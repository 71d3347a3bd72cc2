//! Very many actors that end of one cause: no recursion, no deadlock, all of them.

mod support;

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use support::{DropCounter, EndWith, Token, down_of, until_told};
use uproar::prelude::*;
use uproar::{Handle, Runtime};

const ACTORS: usize = if cfg!(debug_assertions) {
    20_000
} else {
    1_000_000
};

const HOUR: Duration = Duration::from_secs(3600);

/// Less than is needed to recurse into all of them.
const STACK: usize = 256 * 1024;

fn runtime() -> Runtime {
    Runtime::builder()
        .workers(2)
        .stack_size(STACK)
        .start()
        .unwrap()
}

/// An actor that is linked with these from its start, and with whom it is told later.
async fn linked(to: Option<Pid>, ready: Arc<AtomicUsize>, _token: Token) {
    if let Some(to) = to {
        link(to);
    }
    ready.fetch_add(1, Ordering::SeqCst);
    loop {
        let Typed(peer) = receive::<Typed<Pid>>().await;
        link(peer);
        ready.fetch_add(1, Ordering::SeqCst);
    }
}

fn wait_for(ready: &AtomicUsize, count: usize) {
    while ready.load(Ordering::SeqCst) < count {
        std::thread::yield_now();
    }
}

/// Spawns so many, each linked with the one that `to` says of those before. All of them.
fn spawn_linked(
    handle: &Handle,
    count: usize,
    drops: &DropCounter,
    to: impl Fn(&[Pid]) -> Option<Pid>,
) -> (Vec<Pid>, Arc<AtomicUsize>) {
    let ready = Arc::new(AtomicUsize::new(0));
    let mut pids = Vec::with_capacity(count);
    for _ in 0..count {
        let actor = linked(to(&pids), Arc::clone(&ready), drops.token());
        pids.push(handle.spawn(actor).pid());
    }
    wait_for(&ready, count);
    (pids, ready)
}

/// What the last of them ends with, when the first gets this.
fn storm(runtime: &Runtime, pids: &[Pid], drops: &DropCounter, begin: impl Fn(Pid)) -> ExitReason {
    let inbox = runtime.inbox::<Option<ExitReason>>();
    let (to, last) = (inbox.address(), pids[pids.len() - 1]);
    runtime.spawn(async move {
        let last = monitor(last);
        to.send(None);
        to.send(Some(down_of(last).await));
    });
    assert_eq!(inbox.recv_timeout(HOUR), Ok(None));
    begin(pids[0]);
    drops.wait_for(pids.len());
    inbox.recv_timeout(HOUR).unwrap().expect("the reason")
}

fn all_gone(runtime: &Runtime) {
    while runtime.stats().live > 0 {
        std::thread::yield_now();
    }
    assert_eq!(runtime.processes(), []);
    assert_eq!(runtime.stats().panicked, 0);
}

// [R32] [R23]
#[test]
fn a_chain_ends_from_one_end() {
    let _watchdog = support::watchdog(600);
    let runtime = runtime();
    let drops = DropCounter::new();
    let (pids, _) = spawn_linked(&runtime, ACTORS, &drops, |before| before.last().copied());
    let reason = storm(&runtime, &pids, &drops, |first| runtime.kill(first));
    assert_eq!(reason, ExitReason::Killed);
    all_gone(&runtime);
}

// [R32]
#[test]
fn a_ring_ends_both_ways_round() {
    let _watchdog = support::watchdog(600);
    let runtime = runtime();
    let drops = DropCounter::new();
    let (pids, ready) = spawn_linked(&runtime, ACTORS, &drops, |before| before.last().copied());
    runtime.send(pids[0], pids[ACTORS - 1]);
    wait_for(&ready, ACTORS + 1);
    let failed = ExitReason::error("failed");
    let reason = storm(&runtime, &pids, &drops, |first| {
        runtime.send_exit(first, failed.clone());
    });
    assert_eq!(reason, failed);
    all_gone(&runtime);
}

// [R32] from the hub, and from one of its peers.
#[test]
fn a_star_ends_from_its_hub_or_a_point() {
    let _watchdog = support::watchdog(600);
    for hub_first in [true, false] {
        let runtime = runtime();
        let drops = DropCounter::new();
        let (pids, _) = spawn_linked(&runtime, ACTORS, &drops, |before| before.first().copied());
        let from = if hub_first { pids[0] } else { pids[ACTORS / 2] };
        let reason = storm(&runtime, &pids, &drops, |_| runtime.kill(from));
        assert_eq!(reason, ExitReason::Killed);
        all_gone(&runtime);
    }
}

// [R32] one that is watched by all.
#[test]
fn all_watch_one() {
    let _watchdog = support::watchdog(600);
    let runtime = runtime();
    let target = runtime.spawn(until_told());
    let (watching, told) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    for _ in 0..ACTORS {
        let (target, watching, told) = (target.pid(), Arc::clone(&watching), Arc::clone(&told));
        runtime.spawn(async move {
            let watch = monitor(target);
            watching.fetch_add(1, Ordering::SeqCst);
            assert_eq!(down_of(watch).await, ExitReason::Shutdown);
            told.fetch_add(1, Ordering::SeqCst);
        });
    }
    wait_for(&watching, ACTORS);
    target.send(EndWith(ExitReason::Shutdown));
    wait_for(&told, ACTORS);
    all_gone(&runtime);
}

// [R32] kills of very many that wait, and of very many that are about to run.
#[test]
fn all_are_killed_one_by_one() {
    let _watchdog = support::watchdog(600);
    let runtime = runtime();
    let drops = DropCounter::new();
    let (pids, _) = spawn_linked(&runtime, ACTORS, &drops, |_| None);
    for (n, &pid) in pids.iter().enumerate() {
        if n % 2 == 0 {
            runtime.send(pid, ());
        }
        runtime.kill(pid);
    }
    drops.wait_for(ACTORS);
    all_gone(&runtime);
}

// [R32] case 8 (a): two that are linked from both sides.
#[test]
fn two_that_are_linked_from_both_sides_end() {
    let _watchdog = support::watchdog(60);
    let runtime = runtime();
    let drops = DropCounter::new();
    let (pids, ready) = spawn_linked(&runtime, 2, &drops, |before| before.first().copied());
    runtime.send(pids[0], pids[1]);
    wait_for(&ready, 3);
    let reason = storm(&runtime, &pids, &drops, |first| {
        runtime.send_exit(first, ExitReason::Shutdown);
    });
    assert_eq!(reason, ExitReason::Shutdown);
    all_gone(&runtime);
}

// [R6] [R32] case 8 (d)
#[test]
fn an_actor_ends_with_very_many_messages_queued() {
    let _watchdog = support::watchdog(600);
    struct Counted(#[expect(dead_code)] Token);
    let runtime = runtime();
    let drops = DropCounter::new();
    // Half of them saved by a receive that wants none, half not looked at.
    let actor = runtime.spawn(async {
        let Typed(()) = receive().await;
        pending::<()>().await
    });
    for n in 0..ACTORS {
        actor.send(Counted(drops.token()));
        if n == ACTORS / 2 {
            actor.send(());
        }
    }
    runtime.kill(&actor);
    drops.wait_for(ACTORS);
    all_gone(&runtime);
}

// [R35] [R32] case 8 (e)
#[test]
fn a_chain_of_asks_collapses() {
    let _watchdog = support::watchdog(600);
    struct Question(ReplyTo<u32>);
    const DEEP: usize = ACTORS / 10;
    let runtime = runtime();
    let failed = ExitReason::error("at the bottom");
    let reason = failed.clone();
    let mut next: Address<Anything> = runtime.spawn(async move {
        let Typed(Question(_held)) = receive().await;
        reason
    });
    for _ in 0..DEEP {
        let below = next;
        next = runtime.spawn(async move {
            let Typed(Question(reply_to)) = receive().await;
            match below.ask(Question).await {
                Ok(answer) => reply_to.send(answer),
                Err(AskError::Gone(reason)) => exit(reason).await,
                Err(other) => panic!("{other}"),
            }
        });
    }
    assert_eq!(next.ask(Question).wait(), Err(AskError::Gone(failed)));
    all_gone(&runtime);
}
