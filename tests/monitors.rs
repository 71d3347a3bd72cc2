//! Monitors: who is told of an end, and how often.

#[macro_use]
mod support;

use std::collections::HashMap;
use std::future::pending;

use support::{
    EndWith, Stop, dead, down_of, downs, exits, gone, queued, some_slices, until_stop, until_told,
};
use uproar::Runtime;
use uproar::prelude::*;

fn failed() -> ExitReason {
    ExitReason::error("failed")
}

#[receive]
#[derive(Debug)]
enum Told {
    Number(Typed<u32>),
    Down(Down),
}

both! {
    // [R19]
    async fn a_dead_or_unknown_actor_gives_no_process() {
        let dead = dead().await;
        let watch = monitor(dead);
        let down: Down = receive().await;
        assert_eq!((down.monitor, down.pid, down.reason), (watch, dead, ExitReason::NoProcess));

        let other = Runtime::builder().manual();
        let stranger = other.spawn(until_stop());
        let watch = monitor(&stranger);
        let down: Down = receive().await;
        assert_eq!((down.monitor, down.pid), (watch, stranger.pid()));
        assert_eq!(down.reason, ExitReason::NoProcess);
        some_slices().await;
        assert_eq!(downs(), []);
    }

    // [R19] through the mailbox: it comes after what was there.
    async fn the_down_of_a_dead_actor_comes_through_the_mailbox() {
        let dead = dead().await;
        let me = self_address::<Anything>();
        me.send(1u32);
        let watch = monitor(dead);
        me.send(2u32);
        assert!(matches!(receive().await, Told::Number(Typed(1))));
        assert!(matches!(receive().await, Told::Down(down) if down.monitor == watch));
        assert!(matches!(receive().await, Told::Number(Typed(2))));
    }

    // [R19]
    async fn a_monitor_of_oneself_is_never_observable() {
        let watch = monitor(self_pid());
        some_slices().await;
        assert_eq!(downs(), []);
        assert!(!demonitor(watch));
        // Nor to those that are told of the end.
        let (_, watch) = spawn_monitor(async {
            let _ = monitor(self_pid());
            failed()
        });
        assert_eq!(down_of(watch).await, failed());
    }

    // [R19]
    async fn each_monitor_gives_a_down_of_its_own() {
        let target = spawn(until_told());
        let mut watches: Vec<_> = (0..5).map(|_| monitor(&target)).collect();
        assert!(demonitor(watches.remove(2)));
        target.send(EndWith(failed()));
        let mut got = HashMap::new();
        for _ in 0..4 {
            let down: Down = receive().await;
            assert_eq!((down.pid, down.reason), (target.pid(), failed()));
            *got.entry(down.monitor).or_insert(0) += 1;
        }
        some_slices().await;
        assert_eq!(downs(), []);
        assert_eq!(got.len(), 4);
        assert!(watches.iter().all(|watch| got[watch] == 1));
    }

    // [R19] each of many watchers has one.
    async fn all_watchers_are_told() {
        let target = spawn(until_told());
        let main = self_address::<Anything>();
        for n in 0..20u32 {
            let (target, main) = (target.pid(), main.clone());
            spawn(async move {
                let watch = monitor(target);
                main.send("watches");
                assert_eq!(down_of(watch).await, failed());
                some_slices().await;
                assert_eq!(downs(), []);
                main.send(n);
            });
        }
        for _ in 0..20 {
            assert_eq!(receive::<Typed<_>>().await, Typed("watches"));
        }
        target.send(EndWith(failed()));
        let mut told = Vec::new();
        for _ in 0..20 {
            told.push(receive::<Typed<u32>>().await.0);
        }
        told.sort_unstable();
        assert_eq!(told, (0..20).collect::<Vec<_>>());
    }

    // [R19] ends in each of these ways at about the same time.
    async fn an_end_that_races_with_kill_and_links_fires_each_monitor_once() {
        let me = self_address::<Anything>();
        for n in 0..6 {
            let peer = spawn(until_told());
            let main = me.clone();
            let to = peer.pid();
            let target = spawn(async move {
                link(to);
                main.send("linked");
                until_told().await
            });
            assert_eq!(receive::<Typed<_>>().await, Typed("linked"));
            let watches = [monitor(&target), monitor(&target)];
            match n % 3 {
                0 => {
                    target.send(EndWith(ExitReason::Normal));
                    kill(&target);
                    peer.send(EndWith(failed()));
                }
                1 => {
                    peer.send(EndWith(failed()));
                    target.send(EndWith(ExitReason::Normal));
                    send_exit(&target, ExitReason::Shutdown);
                }
                _ => {
                    send_exit(&target, failed());
                    yield_now().await;
                    kill(&target);
                }
            }
            let reasons = [down_of(watches[0]).await, down_of(watches[1]).await];
            assert_eq!(reasons[0], reasons[1]);
            assert!(
                [ExitReason::Normal, ExitReason::Killed, failed(), ExitReason::Shutdown]
                    .contains(&reasons[0])
            );
            some_slices().await;
            assert_eq!(downs(), []);
        }
    }

    // [R20]
    async fn a_monitor_that_is_taken_down_never_fires() {
        let target = spawn(until_told());
        let watch = monitor(&target);
        assert!(demonitor(watch));
        assert!(!demonitor(watch));
        target.send(EndWith(failed()));
        gone(&target).await;
        assert_eq!(downs(), []);
    }

    // [R20] in the incoming queue: it was still up.
    async fn demonitor_takes_back_what_is_on_its_way() {
        let dead = dead().await;
        let watch = monitor(dead);
        assert!(demonitor(watch));
        some_slices().await;
        assert_eq!(downs(), []);
    }

    // [R20] looked at, or saved by a selective receive: it had fired.
    async fn demonitor_takes_back_a_down_that_has_not_been_received() {
        let me = self_address::<Anything>();
        for place in ["front", "behind another", "saved", "in between"] {
            let target = spawn(until_told());
            let watches: [_; 3] = std::array::from_fn(|_| monitor(&target));
            if place == "behind another" {
                me.send(0u8);
            }
            target.send(EndWith(failed()));
            // All three are sent together.
            while target.is_alive() {
                yield_now().await;
            }
            let first = receive::<Down>().await;
            assert_eq!(first.monitor, watches[0]);
            some_slices().await;
            match place {
                "saved" => assert_eq!(try_receive::<Typed<u16>>(), None),
                "in between" => {
                    me.send(1u16);
                    assert_eq!(try_receive::<Typed<u16>>(), Some(Typed(1)));
                }
                _ => {}
            }
            demonitor(watches[1]);
            assert!(!demonitor(watches[1]));
            assert_eq!(down_of(watches[2]).await, failed());
            some_slices().await;
            assert_eq!(downs(), [], "{place}");
            let _ = queued::<Typed<u8>>();
        }
    }

    // [R20]
    async fn to_take_down_a_monitor_that_has_fired_is_nothing() {
        let (_, watch) = spawn_monitor(async {});
        assert_eq!(down_of(watch).await, ExitReason::Normal);
        assert!(!demonitor(watch));
        assert!(!demonitor(watch));
    }

    // [R20]
    async fn a_monitor_is_its_makers() {
        let target = spawn(until_told());
        let watch = monitor(&target);
        let main = self_address::<Anything>();
        let (to, other) = (main.clone(), target.pid());
        spawn(async move {
            // Also when it has one with the same number.
            let own = monitor(other);
            to.send((demonitor(watch), own == watch));
            until_stop().await;
        });
        assert_eq!(receive::<Typed<_>>().await, Typed((false, false)));
        target.send(EndWith(failed()));
        assert_eq!(down_of(watch).await, failed());
    }

    // [R22]
    async fn a_monitored_child_that_ends_at_once_gives_one_down() {
        for n in 0..4 {
            let (child, watch) = match n {
                0 => spawn_monitor(async { failed() }),
                1 => Spawn::new().spawn_monitor(async { failed() }).unwrap(),
                2 => spawn_monitor(async { exit(failed()).await }),
                _ => {
                    let (child, watch) = spawn_monitor(pending::<()>());
                    // It ends before it has begun.
                    send_exit(&child, failed());
                    (child, watch)
                }
            };
            let down: Down = receive().await;
            assert_eq!((down.monitor, down.pid, down.reason), (watch, child.pid(), failed()));
            some_slices().await;
            assert_eq!(downs(), []);
        }
    }

    // [R19] [R34] the pid of one that is dead is not that of the next in its place.
    async fn an_old_pid_never_means_the_next_actor() {
        let old = dead().await;
        let next: Vec<_> = (0..50).map(|_| spawn(until_stop())).collect();
        let watches: Vec<_> = next.iter().map(monitor).collect();
        assert_eq!(gone(old).await, ExitReason::NoProcess);
        send_exit(old, failed());
        kill(old);
        some_slices().await;
        assert!(next.iter().all(Address::is_alive));
        assert_eq!(downs(), []);
        for actor in &next {
            actor.send(Stop);
        }
        for watch in watches {
            assert_eq!(down_of(watch).await, ExitReason::Normal);
        }
    }

    // [R33] a watcher that ends takes its monitors with it.
    async fn the_monitors_of_a_dead_watcher_are_gone() {
        let target = spawn(until_told());
        let to = target.pid();
        let (_, watcher) = spawn_monitor(async move {
            for _ in 0..10 {
                let _ = monitor(to);
            }
            failed()
        });
        assert_eq!(down_of(watcher).await, failed());
        let watch = monitor(&target);
        target.send(EndWith(failed()));
        assert_eq!(down_of(watch).await, failed());
        assert_eq!((downs(), exits()), (vec![], vec![]));
    }

    // [R30] the last message is there before the end is told.
    async fn what_an_actor_has_sent_comes_before_its_down_and_exit() {
        trap_exit(true);
        let me = self_address::<Anything>();
        for last in 1..6u32 {
            let to = me.clone();
            let how = Spawn::new().link();
            let (child, watch) = how
                .spawn_monitor(async move {
                    for n in 1..=last {
                        to.send(n);
                        if n % 2 == 0 {
                            yield_now().await;
                        }
                    }
                    failed()
                })
                .unwrap();
            for n in 1..=last {
                match receive().await {
                    Told::Number(Typed(got)) => assert_eq!(got, n),
                    Told::Down(down) => panic!("{down:?} before message {n}"),
                }
            }
            let Exit { from, reason, .. } = receive().await;
            assert_eq!((from, reason), (child.pid(), failed()));
            assert_eq!(down_of(watch).await, failed());
        }
    }

    // [R30] [R1] an exit signal sent by hand, too, keeps its place among the messages.
    async fn an_exit_by_hand_keeps_its_place() {
        trap_exit(true);
        let me = self_address::<Anything>();
        let main = self_pid();
        spawn(async move {
            for n in 0..10u32 {
                me.send(n);
                send_exit(main, ExitReason::error(n.to_string()));
                if n % 3 == 0 {
                    yield_now().await;
                }
            }
        });
        #[receive]
        enum Next {
            Number(Typed<u32>),
            Exit(Exit),
        }
        for n in 0..10u32 {
            assert!(matches!(receive().await, Next::Number(Typed(got)) if got == n));
            match receive().await {
                Next::Exit(exit) => assert_eq!(exit.reason, ExitReason::error(n.to_string())),
                Next::Number(Typed(next)) => panic!("{next} before the signal"),
            }
        }
    }

    // [R60] neither takes room, nor is dropped, in mailboxes of all kinds.
    async fn downs_and_exits_take_no_room() {
        let main = self_address::<Anything>();
        for mailbox in [
            Mailbox::bounded(2),
            Mailbox::bounded(2).drop_newest(),
            Mailbox::bounded(2).drop_oldest(),
        ] {
            let how = Spawn::new().mailbox(mailbox);
            let to = main.clone();
            let watcher = how
                .spawn(async move {
                    trap_exit(true);
                    let child = spawn_link(until_told());
                    let watches: Vec<_> = (0..5).map(|_| monitor(&child)).collect();
                    let me = self_address::<Anything>();
                    let _ = me.try_send(1u32);
                    let _ = me.try_send(2u32);
                    let _ = me.try_send(3u32);
                    child.send(EndWith(failed()));
                    while child.is_alive() {
                        yield_now().await;
                    }
                    assert_eq!(down_of(watches[0]).await, failed());
                    // What they leave free is free.
                    let full = matches!(me.try_send(4u32), Err(SendError::Full(4)));
                    let mut numbers = Vec::new();
                    let first = receive::<Typed<u32>>().await;
                    numbers.push(first.0);
                    // One place is free now, and one only.
                    let _ = me.try_send(5u32);
                    let _ = me.try_send(6u32);
                    let rest = downs().len();
                    let exits = exits();
                    assert_eq!(exits, [(child.pid(), failed())]);
                    numbers.extend(queued::<Typed<u32>>().into_iter().map(|n| n.0));
                    to.send((rest, full, numbers));
                })
                .unwrap();
            let watch = monitor(&watcher);
            let Typed((rest, full, numbers)) = receive::<Typed<(usize, bool, Vec<u32>)>>().await;
            assert_eq!(rest, 4);
            let expected = if mailbox == Mailbox::bounded(2) {
                assert!(full);
                vec![1, 2, 5]
            } else if mailbox == Mailbox::bounded(2).drop_newest() {
                vec![1, 2, 5]
            } else {
                // 1 went for 3, 2 for 4; when 3 was taken, 5 had room, and 4 went for 6.
                vec![3, 5, 6]
            };
            assert_eq!(numbers, expected, "{mailbox:?}");
            assert_eq!(down_of(watch).await, ExitReason::Normal);
        }
    }

    // [R60] a full mailbox delays none of them.
    async fn control_signals_pass_a_full_mailbox() {
        for n in 0..3 {
            let how = Spawn::new().mailbox(Mailbox::bounded(1));
            let (actor, watch) = how.spawn_monitor(pending::<()>()).unwrap();
            actor.send(1);
            assert_eq!(actor.try_send(2), Err(SendError::Full(2)));
            match n {
                0 => kill(&actor),
                1 => send_exit(&actor, ExitReason::Killed),
                _ => {
                    let to = actor.pid();
                    spawn(async move {
                        link(to);
                        ExitReason::Killed
                    });
                }
            }
            assert_eq!(down_of(watch).await, ExitReason::Killed);
        }
    }
}

// [R19] case 9: monitors against ends, on many workers.
#[test]
fn monitors_against_ends_on_many_workers() {
    let _watchdog = support::watchdog(120);
    const ROUNDS: u32 = if cfg!(debug_assertions) {
        10_000
    } else {
        100_000
    };
    let reason = Runtime::builder().workers(4).run(async {
        for round in 0..ROUNDS {
            let target = spawn(async { failed() });
            for _ in 0..round % 64 {
                std::hint::spin_loop();
            }
            let watches = [monitor(&target), monitor(&target), monitor(&target)];
            let taken_down = demonitor(watches[1]);
            for watch in [watches[0], watches[2]] {
                let reason = down_of(watch).await;
                assert!(reason == failed() || reason == ExitReason::NoProcess);
            }
            assert_eq!(downs(), [], "{taken_down}");
        }
    });
    assert_eq!(reason, ExitReason::Normal);
}

// [R19] [R57] an end that races with the shutdown fires each monitor once.
#[test]
fn monitors_fire_once_in_a_shutdown() {
    let _watchdog = support::watchdog(120);
    for round in 0..if cfg!(debug_assertions) { 30 } else { 300 } {
        let runtime = Runtime::builder().workers(3).start().unwrap();
        let inbox = runtime.inbox::<usize>();
        let to = inbox.address();
        runtime.spawn(async move {
            trap_exit(true);
            let targets: Vec<_> = (0..50).map(|_| spawn(until_told())).collect();
            let watches: Vec<_> = targets.iter().map(monitor).collect();
            to.send(0);
            for (n, target) in targets.iter().enumerate() {
                match n % 3 {
                    0 => kill(target),
                    1 => target.send(EndWith(failed())),
                    _ => {}
                }
            }
            let mut fired = 0;
            for watch in watches {
                down_of(watch).await;
                fired += 1;
            }
            some_slices().await;
            assert_eq!(downs(), []);
            to.send(fired);
        });
        assert_eq!(inbox.recv_timeout(Duration::from_secs(60)), Ok(0));
        for _ in 0..round {
            std::thread::yield_now();
        }
        runtime.shutdown(Duration::from_secs(60));
        assert_eq!(inbox.try_recv(), Some(50));
    }
}
