//! Exit signals: what they do to whom, and when.

#[macro_use]
#[path = "../support/mod.rs"]
mod support;

mod races;

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use futures::FutureExt;
use support::{
    DropCounter, EndWith, OnDrop, down_of, downs, exits, gone, some_slices, until_stop, until_told,
};
use uproar::Runtime;
use uproar::prelude::*;

fn failed() -> ExitReason {
    ExitReason::error("failed")
}

const HOUR: Duration = Duration::from_secs(3600);

/// How an actor comes to its end.
#[derive(Clone, Copy, Debug)]
enum Cause {
    Returns,
    Fails,
    Panics,
    IsKilled,
    IsSignalledNormal,
    IsSignalled,
    SignalsItself,
    SignalsItselfNormal,
    Exits,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Ties {
    Linked,
    Monitored,
    Both,
}

struct Go(Cause);

async fn victim() -> ExitReason {
    let Typed(Go(cause)) = receive().await;
    match cause {
        Cause::Returns => ExitReason::Normal,
        Cause::Fails => failed(),
        Cause::Panics => panic!("as told"),
        Cause::SignalsItself => {
            send_exit(self_pid(), failed());
            pending().await
        }
        Cause::SignalsItselfNormal => {
            send_exit(self_pid(), ExitReason::Normal);
            pending().await
        }
        Cause::Exits => exit(failed()).await,
        other => unreachable!("{other:?} comes from outside"),
    }
}

/// What a peer is told to look at when all is over.
struct Check {
    exit: Option<(Pid, ExitReason)>,
    down: Option<ExitReason>,
}

async fn peer(victim: Pid, traps: bool, ties: Ties, ready: Address<Anything>) {
    trap_exit(traps);
    if ties != Ties::Monitored {
        link(victim);
    }
    if ties != Ties::Linked {
        let _ = monitor(victim);
    }
    ready.send("ready");
    let Typed(Check { exit, down }) = receive().await;
    if let Some(expected) = exit {
        let Exit { from, reason, .. } = receive().await;
        assert_eq!((from, reason), expected);
    }
    if let Some(expected) = down {
        let down: Down = receive().await;
        assert_eq!((down.pid, down.reason), (victim, expected));
    }
    some_slices().await;
    assert_eq!((exits(), downs()), (vec![], vec![]));
}

async fn cell(cause: Cause, traps: bool, ties: Ties) {
    let (victim, ends) = spawn_monitor(victim());
    let ready = self_address::<Anything>();
    let (peer, peers_end) = spawn_monitor(peer(victim.pid(), traps, ties, ready));
    assert_eq!(receive::<Typed<_>>().await, Typed("ready"));
    let expected = match cause {
        Cause::IsKilled => {
            kill(&victim);
            Some(ExitReason::Killed)
        }
        Cause::IsSignalledNormal => {
            send_exit(&victim, ExitReason::Normal);
            None
        }
        Cause::IsSignalled => {
            send_exit(&victim, failed());
            Some(failed())
        }
        cause => {
            victim.send(Go(cause));
            Some(match cause {
                Cause::Returns | Cause::SignalsItselfNormal => ExitReason::Normal,
                Cause::Panics => ExitReason::Killed,
                _ => failed(),
            })
        }
    };
    let Some(mut reason) = expected else {
        some_slices().await;
        assert!(victim.is_alive(), "normal ends nobody else");
        peer.send(Check {
            exit: None,
            down: None,
        });
        // It ends, and takes nobody with it.
        assert_eq!(down_of(peers_end).await, ExitReason::Normal);
        assert!(victim.is_alive());
        kill(&victim);
        return;
    };
    let true_reason = down_of(ends).await;
    if matches!(cause, Cause::Panics) {
        assert!(matches!(&true_reason, ExitReason::Panic(panic) if panic.message() == "as told"));
        reason = true_reason;
    } else {
        assert_eq!(true_reason, reason);
    }
    let linked = ties != Ties::Monitored;
    if linked && !traps && reason != ExitReason::Normal {
        assert_eq!(down_of(peers_end).await, reason, "{cause:?} {ties:?}");
        return;
    }
    peer.send(Check {
        exit: (linked && traps).then(|| (victim.pid(), reason.clone())),
        down: (ties != Ties::Linked).then_some(reason),
    });
    let end = down_of(peers_end).await;
    assert_eq!(end, ExitReason::Normal, "{cause:?} {traps} {ties:?}");
}

both! {
    // [R18] [R23] [R24] [R25] case 21, every cell.
    async fn who_ends_with_what() {
        for cause in [
            Cause::Returns,
            Cause::Fails,
            Cause::Panics,
            Cause::IsKilled,
            Cause::IsSignalledNormal,
            Cause::IsSignalled,
            Cause::SignalsItself,
            Cause::SignalsItselfNormal,
            Cause::Exits,
        ] {
            for traps in [false, true] {
                for ties in [Ties::Linked, Ties::Monitored, Ties::Both] {
                    cell(cause, traps, ties).await;
                }
            }
        }
    }

    // [R24] to one that traps every signal is a message, from whom it came.
    async fn a_trapped_signal_is_a_message() {
        let main = self_address::<Anything>();
        let to = main.clone();
        let actor = spawn(async move {
            trap_exit(true);
            to.send("ready");
            for _ in 0..5 {
                let Exit { from, reason, .. } = receive().await;
                to.send((from, reason));
            }
            // Its own, too.
            send_exit(self_pid(), ExitReason::Normal);
            send_exit(self_pid(), failed());
            let own = self_pid();
            assert_eq!(exits(), [(own, ExitReason::Normal), (own, failed())]);
            to.send("traps");
            until_stop().await;
        });
        assert_eq!(receive::<Typed<_>>().await, Typed("ready"));
        for reason in [
            ExitReason::Normal,
            ExitReason::Shutdown,
            // A reason is not a kill.
            ExitReason::Killed,
            ExitReason::NoProcess,
            failed(),
        ] {
            send_exit(&actor, reason.clone());
            let Typed(told) = receive::<Typed<(Pid, ExitReason)>>().await;
            assert_eq!(told, (self_pid(), reason));
        }
        assert_eq!(receive::<Typed<_>>().await, Typed("traps"));
        assert!(actor.is_alive());
        // It would use up the grace.
        kill(&actor);
    }

    // [R24] to the dead it is nothing.
    async fn a_signal_to_the_dead_is_nothing() {
        let dead = support::dead().await;
        send_exit(dead, failed());
        kill(dead);
        trap_exit(true);
        send_exit(dead, failed());
        some_slices().await;
        assert_eq!(exits(), []);
    }

    // [R26]
    async fn trapping_counts_when_a_signal_is_received() {
        let main = self_address::<Anything>();
        // Sent before it began to trap, received after.
        let to = main.clone();
        let (_, monitor) = spawn_monitor(async move {
            send_exit(self_pid(), failed());
            trap_exit(true);
            assert_eq!(exits(), [(self_pid(), failed())]);
            to.send("trapped");
        });
        assert_eq!(receive::<Typed<_>>().await, Typed("trapped"));
        assert_eq!(down_of(monitor).await, ExitReason::Normal);
        // Sent while it trapped, received after.
        let (_, monitor) = spawn_monitor(async {
            assert!(!trap_exit(true));
            send_exit(self_pid(), failed());
            assert!(trap_exit(false));
            pending::<()>().await
        });
        assert_eq!(down_of(monitor).await, failed());
        // What has been received as a message stays one.
        let (_, monitor) = spawn_monitor(async {
            trap_exit(true);
            send_exit(self_pid(), failed());
            some_slices().await;
            trap_exit(false);
            some_slices().await;
            assert_eq!(exits(), [(self_pid(), failed())]);
        });
        assert_eq!(down_of(monitor).await, ExitReason::Normal);
    }

    // [R26]
    async fn of_two_exit_signals_the_first_wins() {
        for kills in [false, true] {
            let (actor, monitor) = spawn_monitor(until_stop());
            some_slices().await;
            send_exit(&actor, ExitReason::Normal);
            send_exit(&actor, ExitReason::error("first"));
            if kills {
                kill(&actor);
            } else {
                send_exit(&actor, ExitReason::error("second"));
            }
            assert_eq!(down_of(monitor).await, ExitReason::error("first"));
        }
        let (_, monitor) = spawn_monitor(async {
            send_exit(self_pid(), ExitReason::error("first"));
            exit(ExitReason::error("second")).await
        });
        assert_eq!(down_of(monitor).await, ExitReason::error("first"));
    }

    // [R27]
    async fn nothing_runs_after_exit_but_destructors() {
        let main = self_address::<Anything>();
        let after = Arc::new(AtomicBool::new(false));
        let ran = Arc::clone(&after);
        let (actor, monitor) = spawn_monitor(async move {
            let _guard = OnDrop(move || main.send("dropped"));
            exit(failed()).await;
            #[expect(unreachable_code, reason = "that is what is tested")]
            ran.store(true, Ordering::SeqCst);
        });
        assert_eq!(down_of(monitor).await, failed());
        assert_eq!(try_receive::<Typed<&str>>(), Some(Typed("dropped")));
        assert!(!actor.is_alive() && !after.load(Ordering::SeqCst));
    }

    // [R27] in a child future the others' code runs to its await at most.
    async fn exit_in_a_join_or_a_select_ends_the_whole_actor() {
        let steps = Arc::new(AtomicUsize::new(0));
        for n in 0..3 {
            let counted = Arc::clone(&steps);
            let (actor, monitor) = spawn_monitor(async move {
                let me = self_address::<Anything>();
                me.send(());
                let exits = async { exit(failed()).await }.fuse();
                let receives = async {
                    // There is a message, and it is not received.
                    let Typed(()) = receive().await;
                    counted.fetch_add(1, Ordering::SeqCst);
                };
                let yields = async {
                    yield_now().await;
                    counted.fetch_add(1, Ordering::SeqCst);
                };
                match n {
                    0 => drop(futures::join!(exits, receives, yields)),
                    1 => {
                        let (exits, receives) = (Box::pin(exits), Box::pin(receives));
                        futures::future::select(exits, receives).await;
                        counted.fetch_add(1, Ordering::SeqCst);
                    }
                    _ => {
                        let yields = yields.fuse();
                        futures::pin_mut!(exits, yields);
                        futures::select_biased! {
                            _ = exits => {}
                            () = yields => {}
                        }
                        counted.fetch_add(1, Ordering::SeqCst);
                    }
                }
            });
            assert_eq!(down_of(monitor).await, failed());
            assert!(!actor.is_alive());
        }
        assert_eq!(steps.load(Ordering::SeqCst), 0);
    }

    // [R27] a child future that ends in the same slice does not change the reason.
    async fn the_reason_of_exit_stays_whatever_else_the_slice_does() {
        for n in 0..2 {
            let (_, monitor) = spawn_monitor(async move {
                assert!(exit(failed()).now_or_never().is_none());
                assert!(n == 0, "it panics");
                Err::<(), _>("it returns")
            });
            assert_eq!(down_of(monitor).await, failed());
        }
    }

    // [R28] whatever it waits for.
    async fn a_signal_takes_a_waiting_actor_at_once() {
        let full = Spawn::new().mailbox(Mailbox::bounded(1));
        let full = full.spawn(until_stop()).unwrap();
        full.send(1);
        let silent = spawn(until_stop());
        let drops = DropCounter::new();
        for kills in [false, true] {
            for n in 0..8 {
                let (full, silent) = (full.clone(), silent.clone());
                let main = self_address::<Anything>();
                let token = drops.token();
                let (actor, monitor) = spawn_monitor(async move {
                    let _token = token;
                    main.send("waits");
                    match n {
                        0 => _ = receive::<Typed<()>>().await,
                        1 => _ = receive::<Typed<()>>().timeout(HOUR).await,
                        2 => sleep(HOUR).await,
                        3 => drop(silent.ask(|reply_to: ReplyTo<()>| reply_to).await),
                        4 => drop(silent.ask(|reply_to: ReplyTo<()>| reply_to).timeout(HOUR).await),
                        5 => full.deliver(2).await.unwrap(),
                        6 => drop(futures::join!(sleep(HOUR), receive::<Typed<()>>())),
                        _ => loop {
                            yield_now().await;
                        },
                    }
                    unreachable!("it goes on");
                });
                assert_eq!(receive::<Typed<_>>().await, Typed("waits"));
                some_slices().await;
                if kills {
                    kill(&actor);
                    assert_eq!(down_of(monitor).await, ExitReason::Killed);
                } else {
                    send_exit(&actor, failed());
                    assert_eq!(down_of(monitor).await, failed());
                }
            }
        }
        assert_eq!(drops.count(), 16);
    }

    // [R28] before its first slice, it never begins.
    async fn a_signal_before_the_first_slice() {
        let begun = Arc::new(AtomicBool::new(false));
        for n in 0..3 {
            let (me, flag) = (self_pid(), Arc::clone(&begun));
            // Its parent's slice goes on, and nobody else can have run it: so only on one worker.
            let runtime = Runtime::builder().workers(1).manual();
            let actor = runtime.spawn(async move { flag.store(true, Ordering::SeqCst) });
            match n {
                0 => runtime.kill(&actor),
                1 => runtime.send_exit(&actor, failed()),
                _ => {
                    runtime.send_exit(&actor, ExitReason::Normal);
                    runtime.send_exit(&actor, failed());
                }
            }
            runtime.run_until_idle();
            assert!(!actor.is_alive(), "{me}");
        }
        assert!(!begun.load(Ordering::SeqCst));
    }

    // Case 4: what an ask without a timeout learns of its server.
    async fn an_ask_ends_with_its_server() {
        struct Question(ReplyTo<u32>);
        for n in 0..5 {
            let (server, monitor) = spawn_monitor(async move {
                let Typed(Question(reply_to)) = receive().await;
                match n {
                    0 => panic!("in the handler"),
                    1 => {
                        let _unanswered = reply_to;
                        ExitReason::Normal
                    }
                    2 => {
                        drop(reply_to);
                        until_stop().await;
                        ExitReason::Normal
                    }
                    _ => unreachable!("it is dead before"),
                }
            });
            if n == 4 {
                kill(&server);
                assert_eq!(down_of(monitor).await, ExitReason::Killed);
            }
            let ask = server.ask(Question);
            if n == 3 {
                kill(&server);
            }
            match (n, ask.await.unwrap_err()) {
                (0, AskError::Gone(ExitReason::Panic(panic))) => {
                    assert_eq!(panic.message(), "in the handler");
                }
                (1, AskError::Gone(ExitReason::Normal)) | (2, AskError::NoReply) => {}
                // On threads it may have got the question before it died.
                (3, AskError::Gone(ExitReason::Killed | ExitReason::NoProcess)) => {}
                (4, AskError::Gone(ExitReason::NoProcess)) => {}
                (n, other) => panic!("{n}: {other:?}"),
            }
            if n < 4 {
                kill(&server);
                down_of(monitor).await;
            }
            assert!(try_receive::<Envelope>().is_none(), "nothing else comes");
        }
    }
}
