//! Kills, also of actors that do not come back from their own code.

#[macro_use]
mod support;

use std::future::pending;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Instant;

use support::{
    DropCounter, OnDrop, Stop, Token, block_on, dead, down_of, downs, exits, gone, some_slices,
    until_stop,
};
use uproar::prelude::*;
use uproar::{Handle, Runtime};

fn failed() -> ExitReason {
    ExitReason::error("failed")
}

const HOUR: Duration = Duration::from_secs(3600);

struct Counted(#[expect(dead_code)] Token);

type Flag = Arc<AtomicBool>;

fn wait_for(flag: &AtomicBool) {
    while !flag.load(Ordering::SeqCst) {
        thread::yield_now();
    }
}

fn set(flag: &AtomicBool) {
    flag.store(true, Ordering::SeqCst);
}

/// An actor that stays in its own code until it is let go.
#[derive(Clone, Default)]
struct Stuck {
    inside: Flag,
    let_go: Flag,
    back: Flag,
}

impl Stuck {
    fn stay(&self) {
        set(&self.inside);
        wait_for(&self.let_go);
    }

    /// It runs on a bit, and then comes to an await.
    async fn run(self) {
        self.stay();
        set(&self.back);
        yield_now().await;
        unreachable!("it has been given up");
    }
}

/// Waits until the runtime says that an actor is not there any more.
fn until_given_up(handle: &Handle, actor: Pid) {
    while handle.processes().contains(&actor) {
        thread::yield_now();
    }
}

both! {
    // [R25]
    async fn a_kill_cannot_be_trapped() {
        for traps in [false, true] {
            let main = self_address::<Anything>();
            let (actor, monitor) = spawn_monitor(async move {
                trap_exit(traps);
                main.send("traps");
                until_stop().await;
            });
            assert_eq!(receive::<Typed<_>>().await, Typed("traps"));
            kill(&actor);
            assert_eq!(down_of(monitor).await, ExitReason::Killed);
        }
    }

    // [R25] the peers of the killed one can trap its reason, for it is a reason like others.
    async fn a_linked_peer_sees_killed_and_can_trap_it() {
        trap_exit(true);
        let child = spawn_link(until_stop());
        kill(&child);
        let Exit { from, reason, .. } = receive().await;
        assert_eq!((from, reason), (child.pid(), ExitReason::Killed));
        // One that does not, ends with it, and so on.
        let (_, monitor) = spawn_monitor(async {
            let middle = spawn_link(async {
                kill(&spawn_link(until_stop()));
                pending::<()>().await
            });
            let _ = middle;
            pending::<()>().await
        });
        assert_eq!(down_of(monitor).await, ExitReason::Killed);
    }

    // [R31]
    async fn from_the_call_on_it_is_dead_for_the_caller() {
        trap_exit(true);
        let drops = DropCounter::new();
        let child = spawn(until_stop());
        let watch = monitor(&child);
        kill(&child);
        assert!(!child.is_alive());
        link(&child);
        assert_eq!(exits(), [(child.pid(), ExitReason::NoProcess)]);
        let late = monitor(&child);
        assert_eq!(down_of(late).await, ExitReason::NoProcess);
        send_exit(&child, failed());
        kill(&child);
        let timer = send_after(HOUR, &child, Counted(drops.token()));
        assert_eq!(timer.cancel(), None);
        assert_eq!(drops.count(), 1);
        assert_eq!(down_of(watch).await, ExitReason::Killed);
        assert_eq!((exits(), downs()), (vec![], vec![]));
    }

    // [R25] [R27]
    async fn an_actor_that_kills_itself_goes_on_to_its_next_await() {
        for returns in [false, true] {
            let main = self_address::<Anything>();
            let (_, monitor) = spawn_monitor(async move {
                kill(self_pid());
                main.send("still here");
                if !returns {
                    yield_now().await;
                    unreachable!();
                }
            });
            assert_eq!(down_of(monitor).await, ExitReason::Killed);
            assert_eq!(try_receive::<Typed<&str>>(), Some(Typed("still here")));
        }
    }

    // [R24] [R26] a signal that has come before the end is not too late.
    async fn a_signal_before_the_end_of_the_body_counts() {
        for n in 0..3 {
            let (_, monitor) = spawn_monitor(async move {
                send_exit(self_pid(), failed());
                assert!(n != 1, "too late");
                if n == 2 {
                    trap_exit(true);
                }
            });
            let expected = if n == 2 { ExitReason::Normal } else { failed() };
            assert_eq!(down_of(monitor).await, expected);
        }
    }

    // [R27] destructors of a killed actor send, spawn and signal.
    async fn destructors_of_a_killed_actor_act() {
        let main = self_address::<Anything>();
        let witness = spawn(until_stop());
        let ends = monitor(&witness);
        let peer = witness.pid();
        let (actor, monitor) = spawn_monitor(async move {
            let _guard = OnDrop(move || {
                main.send("sent");
                let main = main.clone();
                spawn(async move { main.send("spawned") });
                send_exit(peer, failed());
            });
            until_stop().await;
        });
        some_slices().await;
        kill(&actor);
        assert_eq!(down_of(monitor).await, ExitReason::Killed);
        let mut got = [(); 2];
        for got in &mut got {
            let Typed(text) = receive::<Typed<&str>>().await;
            assert!(["sent", "spawned"].contains(&text));
            *got = ();
        }
        assert_eq!(down_of(ends).await, failed());
    }

    // [R25]
    async fn to_kill_the_dead_is_nothing() {
        let dead = dead().await;
        kill(dead);
        kill(dead);
        assert_eq!(gone(dead).await, ExitReason::NoProcess);
    }
}

// [R31] [R27] all that is said of an actor in the middle of its code.
#[test]
fn an_actor_stuck_in_its_code_counts_as_dead() {
    let _watchdog = support::watchdog(120);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let inbox = runtime.inbox::<&str>();
    let to = inbox.address();
    let stuck = Stuck::default();
    let queued = DropCounter::new();
    let (sent, refused) = (DropCounter::new(), Arc::new(AtomicUsize::new(0)));
    let bystander = runtime.spawn(async {
        trap_exit(true);
        until_stop().await;
    });
    let other = bystander.pid();

    let code = stuck.clone();
    let (out, token, count) = (to.clone(), sent.clone(), Arc::clone(&refused));
    let actor = runtime.spawn(async move {
        trap_exit(true);
        let Typed(watcher) = receive::<Typed<Pid>>().await;
        let Typed(reply_to) = receive::<Typed<ReplyTo<u32>>>().await;
        let destructor = out.clone();
        let _guard = OnDrop(move || {
            destructor.send("destructor");
            let to = destructor.clone();
            spawn(async move { to.send("its child") });
        });
        code.stay();
        // What it does from here on is nothing to others.
        out.send("from the dead");
        send(watcher, Counted(token.token()));
        let timer = send_after(Duration::ZERO, &out, "later");
        let child = spawn(async move { out.send("a child of the dead") });
        send_exit(other, failed());
        kill(other);
        link(other);
        unlink(watcher);
        let own = monitor(other);
        reply_to.send(7);
        let facts = [
            !child.is_alive(),
            timer.cancel().is_none(),
            !demonitor(own),
            try_receive::<Envelope>().is_none(),
        ];
        count.store(facts.iter().filter(|fact| **fact).count(), Ordering::SeqCst);
        set(&code.back);
        pending::<()>().await
    });

    let (pid, address) = (actor.pid(), actor.clone());
    let (killer, let_go, back) = (
        to.clone(),
        Arc::clone(&stuck.let_go),
        Arc::clone(&stuck.back),
    );
    let (inside, drops) = (Arc::clone(&stuck.inside), queued.clone());
    runtime.spawn(async move {
        trap_exit(true);
        link(pid);
        let watches = [monitor(pid), monitor(pid)];
        send(pid, self_pid());
        let question = address.ask(|reply_to: ReplyTo<u32>| reply_to);
        // Not on this worker, for it is busy.
        while !inside.load(Ordering::SeqCst) {
            yield_now().await;
        }
        send(pid, Counted(drops.token()));
        let unread = address.ask(|reply_to: ReplyTo<()>| reply_to);
        kill(pid);
        assert!(!address.is_alive());
        assert_eq!(gone(pid).await, ExitReason::NoProcess);
        for watch in watches {
            assert_eq!(down_of(watch).await, ExitReason::Killed);
        }
        assert!(
            !back.load(Ordering::SeqCst),
            "it is told while the code runs"
        );
        assert_eq!(exits(), [(pid, ExitReason::Killed)]);
        link(pid);
        assert_eq!(exits(), [(pid, ExitReason::NoProcess)]);
        assert_eq!(unread.await, Err(AskError::Gone(ExitReason::Killed)));
        killer.send("told");
        set(&let_go);
        // What the code holds fails when it returns.
        assert_eq!(question.await, Err(AskError::Gone(ExitReason::Killed)));
        assert!(back.load(Ordering::SeqCst));
        some_slices().await;
        assert_eq!((exits(), downs()), (vec![], vec![]));
        killer.send("over");
        until_stop().await;
    });
    let mut got: Vec<_> = (0..4).map(|_| inbox.recv_timeout(HOUR).unwrap()).collect();
    assert_eq!(got.remove(0), "told");
    got.sort_unstable();
    assert_eq!(got, ["destructor", "its child", "over"]);
    assert_eq!(queued.count(), 1);
    assert_eq!(sent.count(), 1, "it has been dropped");
    assert_eq!(refused.load(Ordering::SeqCst), 4);
    assert!(bystander.is_alive());
    assert!(!runtime.processes().contains(&pid));

    // Its thread goes on: both workers are needed for this.
    let barrier = Arc::new(Barrier::new(2));
    for _ in 0..2 {
        let (barrier, to) = (Arc::clone(&barrier), to.clone());
        runtime.spawn(async move {
            barrier.wait();
            to.send("met");
        });
    }
    assert_eq!([(); 2].map(|()| inbox.recv_timeout(HOUR)), [Ok("met"); 2]);
    assert_eq!(inbox.try_recv(), None);
    // Those who met are about to end; the other two trap exits.
    while runtime.stats().live > 2 {
        thread::yield_now();
    }
    let report = runtime.shutdown(Duration::ZERO);
    assert_eq!(
        (report.ended, report.killed, report.stuck),
        (true, 2, vec![])
    );
}

// [R31] the only worker there is.
#[test]
fn with_one_worker_stuck_nothing_deadlocks() {
    let _watchdog = support::watchdog(120);
    let runtime = Runtime::builder().workers(1).start().unwrap();
    let inbox = runtime.inbox::<&str>();
    let to = inbox.address();
    let stuck = Stuck::default();
    let actor = runtime.spawn(stuck.clone().run());
    wait_for(&stuck.inside);
    let queued = DropCounter::new();
    actor.send(Counted(queued.token()));
    let watched = actor.pid();
    let waiting = runtime.spawn(async move {
        assert_eq!(gone(watched).await, ExitReason::NoProcess);
        to.send("behind it");
    });
    assert_eq!(runtime.stats().live, 2);
    runtime.kill(&actor);
    assert!(!actor.is_alive());
    until_given_up(&runtime, watched);
    assert_eq!(runtime.stats().live, 1);
    assert_eq!(actor.try_send(1), Err(SendError::Gone(1)));
    assert!(!stuck.back.load(Ordering::SeqCst) && waiting.is_alive());
    set(&stuck.let_go);
    assert_eq!(inbox.recv_timeout(HOUR), Ok("behind it"));
    queued.wait_for(1);
    let report = runtime.shutdown(HOUR);
    assert_eq!(
        (report.ended, report.killed, report.stuck),
        (true, 0, vec![])
    );
}

// [R31] an actor that kills itself and then computes for long.
#[test]
fn an_actor_that_kills_itself_and_goes_on_is_given_up() {
    let _watchdog = support::watchdog(120);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let stuck = Stuck::default();
    let code = stuck.clone();
    let actor = runtime.spawn(async move {
        kill(self_pid());
        code.run().await;
    });
    until_given_up(&runtime, actor.pid());
    assert!(!stuck.back.load(Ordering::SeqCst));
    set(&stuck.let_go);
}

// [R31] one that has been in its code for long when the kill comes, and all workers are.
#[test]
fn all_workers_stuck() {
    let _watchdog = support::watchdog(120);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let stuck = [(); 2].map(|()| Stuck::default());
    let actors = stuck
        .each_ref()
        .map(|stuck| runtime.spawn(stuck.clone().run()));
    for stuck in &stuck {
        wait_for(&stuck.inside);
    }
    // Longer than a slice may last.
    let seen = Instant::now();
    while runtime
        .stats()
        .workers
        .iter()
        .any(|worker| worker.overlong_slices == 0)
    {
        assert!(seen.elapsed() < HOUR);
        thread::yield_now();
    }
    for actor in &actors {
        runtime.kill(actor);
        assert!(!actor.is_alive());
        until_given_up(&runtime, actor.pid());
    }
    for stuck in &stuck {
        set(&stuck.let_go);
    }
    let inbox = runtime.inbox::<()>();
    let to = inbox.address();
    runtime.spawn(async move { to.send(()) });
    assert_eq!(inbox.recv_timeout(HOUR), Ok(()));
}

// [R31] [R56] the main actor: its end is the runtime's, and `run` returns when the code does.
#[test]
fn the_main_actor_stuck() {
    let _watchdog = support::watchdog(120);
    let stuck = Stuck::default();
    let code = stuck.clone();
    let reason = Runtime::builder().workers(2).run(async move {
        let (main, inside, let_go) = (
            self_pid(),
            Arc::clone(&code.inside),
            Arc::clone(&code.let_go),
        );
        spawn(async move {
            trap_exit(true);
            let watch = monitor(main);
            while !inside.load(Ordering::SeqCst) {
                yield_now().await;
            }
            kill(main);
            assert_eq!(down_of(watch).await, ExitReason::Killed);
            // The shutdown has begun.
            let Exit { reason, .. } = receive().await;
            assert_eq!(reason, ExitReason::Shutdown);
            set(&let_go);
        });
        // The other is on its way to the other worker.
        yield_now().await;
        code.run().await;
    });
    assert_eq!(reason, ExitReason::Killed);
    assert!(stuck.back.load(Ordering::SeqCst));
}

// [R31] [R56]
#[test]
fn the_report_of_a_shutdown_names_who_was_killed_and_is_stuck() {
    let _watchdog = support::watchdog(120);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let stuck = Stuck::default();
    let drops = DropCounter::new();
    let token = drops.token();
    let code = stuck.clone();
    let actor = runtime.spawn(async move {
        let _token = token;
        code.run().await;
    });
    wait_for(&stuck.inside);
    runtime.kill(&actor);
    until_given_up(&runtime, actor.pid());
    let report = runtime.shutdown(Duration::from_secs(60));
    assert!(report.ended);
    assert_eq!(report.killed, 0, "there was nobody left to kill");
    let named: Vec<_> = report.stuck.iter().map(|stuck| stuck.pid).collect();
    assert_eq!(named, [actor.pid()]);
    assert_eq!(drops.count(), 0);
    set(&stuck.let_go);
    drops.wait_for(1);
}

// [R31] [R19] who comes back from long code at the moment that it is given up.
#[test]
fn a_kill_against_the_end_of_long_code_is_told_once() {
    let _watchdog = support::watchdog(120);
    const ROUNDS: u64 = if cfg!(debug_assertions) { 100 } else { 400 };
    let runtime = Runtime::builder().workers(3).start().unwrap();
    let inbox = runtime.inbox::<ExitReason>();
    let before = runtime.stats();
    for round in 0..ROUNDS {
        let to = inbox.address();
        let inside = Flag::default();
        let told = Arc::clone(&inside);
        let long = Duration::from_micros(6_000 + 97 * (round % 80));
        let returns = round % 2 == 0;
        let actor = runtime.spawn(async move {
            let Typed(Stop) = receive().await;
            set(&told);
            let start = Instant::now();
            while start.elapsed() < long {
                std::hint::spin_loop();
            }
            if !returns {
                yield_now().await;
            }
        });
        let pid = actor.pid();
        runtime.spawn(async move {
            trap_exit(true);
            link(pid);
            let watch = monitor(pid);
            send(pid, Stop);
            while !inside.load(Ordering::SeqCst) {
                yield_now().await;
            }
            kill(pid);
            let reason = down_of(watch).await;
            let Exit {
                from,
                reason: second,
                ..
            } = receive().await;
            assert_eq!(from, pid);
            assert_eq!(second, reason);
            some_slices().await;
            assert_eq!((exits(), downs()), (vec![], vec![]));
            to.send(reason);
        });
        let reason = inbox.recv_timeout(HOUR).unwrap();
        // On a busy machine the kill may come too late.
        assert!([ExitReason::Killed, ExitReason::Normal].contains(&reason));
    }
    // Each is counted once, those that were given up, too.
    while runtime.stats().live > 0 {
        thread::yield_now();
    }
    let after = runtime.stats();
    assert_eq!(after.spawned - before.spawned, 2 * ROUNDS);
    assert_eq!(after.exited - before.exited, 2 * ROUNDS);
}

// [R31] a kill that meets an actor at the start of a slice from which it does not come back.
#[test]
fn a_kill_at_the_start_of_a_slice_finds_the_actor() {
    let _watchdog = support::watchdog(120);
    const ROUNDS: u32 = if cfg!(debug_assertions) { 60 } else { 300 };
    let runtime = Runtime::builder().workers(2).start().unwrap();
    for round in 0..ROUNDS {
        let stuck = Stuck::default();
        let code = stuck.clone();
        let actor = runtime.spawn(async move {
            let Typed(Stop) = receive().await;
            code.run().await;
        });
        let pid = actor.pid();
        actor.send(Stop);
        for _ in 0..round * 8 {
            std::hint::spin_loop();
        }
        runtime.kill(&actor);
        // Whether it has begun or not.
        until_given_up(&runtime, pid);
        set(&stuck.let_go);
        assert_eq!(
            block_on(actor.ask(support::Watch)),
            Err(AskError::Gone(ExitReason::NoProcess))
        );
    }
}
