//! Links: who ends with whom.

#[macro_use]
mod support;

use std::future::pending;

use support::{
    EndWith, Stop, dead, down_of, downs, exits, gone, queued, some_slices, until_stop, until_told,
};
use uproar::Runtime;
use uproar::prelude::*;

fn failed() -> ExitReason {
    ExitReason::error("failed")
}

both! {
    // [R21]
    async fn a_link_to_a_dead_actor_is_the_exit_signal_no_process() {
        let dead = dead().await;
        let (_, monitor) = spawn_monitor(async move {
            link(dead);
            pending::<()>().await
        });
        assert_eq!(down_of(monitor).await, ExitReason::NoProcess);
    }

    // [R21]
    async fn to_one_that_traps_a_link_to_a_dead_actor_is_a_message() {
        let dead = dead().await;
        trap_exit(true);
        link(dead);
        assert_eq!(exits(), [(dead, ExitReason::NoProcess)]);
        // That was all, and each link is one.
        some_slices().await;
        assert_eq!(exits(), []);
        link(dead);
        assert_eq!(exits(), [(dead, ExitReason::NoProcess)]);
    }

    // [R21] while the signal is on its way, it is one link.
    async fn two_links_to_a_dead_actor_are_one() {
        let dead = dead().await;
        trap_exit(true);
        link(dead);
        link(dead);
        some_slices().await;
        assert_eq!(exits(), [(dead, ExitReason::NoProcess)]);
    }

    // [R21] [R34]
    async fn to_link_with_an_actor_of_another_runtime_is_to_link_with_none() {
        let other = Runtime::builder().manual();
        let stranger = other.spawn(until_stop());
        trap_exit(true);
        link(&stranger);
        assert_eq!(exits(), [(stranger.pid(), ExitReason::NoProcess)]);
        unlink(&stranger);
        assert!(stranger.is_alive());
    }

    // [R21] the holder of an inbox is no actor.
    async fn an_inbox_is_not_linked() {
        let told = self_address::<Anything>();
        let other = Runtime::builder().manual();
        let inbox = other.inbox::<()>();
        let to = inbox.address();
        other.block_on(async move {
            trap_exit(true);
            link(&to);
            told.send(exits() == [(to.pid(), ExitReason::NoProcess)]);
        });
        assert_eq!(receive::<Typed<bool>>().await, Typed(true));
    }

    // [R21]
    async fn a_link_to_oneself_is_none() {
        link(self_pid());
        unlink(self_pid());
        // Also with ties to others.
        let peer = spawn_link(until_stop());
        let _monitor = monitor(&peer);
        link(self_pid());
        unlink(self_pid());
        trap_exit(true);
        some_slices().await;
        assert_eq!(exits(), []);

        let (_, monitor) = spawn_monitor(async {
            link(self_pid());
            failed()
        });
        assert_eq!(down_of(monitor).await, failed());
    }

    // [R21]
    async fn links_are_one_per_pair() {
        trap_exit(true);
        let parent = self_pid();
        let child = spawn_link(async move {
            link(parent);
            link(parent);
            until_told().await
        });
        link(&child);
        link(&child);
        let monitor = monitor(&child);
        child.send(EndWith(failed()));
        assert_eq!(down_of(monitor).await, failed());
        assert_eq!(exits(), [(child.pid(), failed())]);
    }

    // [R21]
    async fn either_side_may_unlink() {
        trap_exit(true);
        for parents in [true, false] {
            let (parent, main) = (self_pid(), self_address::<Anything>());
            let child = spawn_link(async move {
                if !parents {
                    unlink(parent);
                }
                main.send(());
                until_told().await
            });
            let Typed(()) = receive().await;
            if parents {
                unlink(&child);
            }
            let monitor = monitor(&child);
            child.send(EndWith(failed()));
            assert_eq!(down_of(monitor).await, failed());
            assert_eq!(exits(), []);
        }
    }

    // [R21] it cuts both directions.
    async fn an_unlinked_actor_is_not_ended_by_its_peer() {
        let peer = spawn(until_stop());
        let to = peer.clone();
        let (failing, monitor) = spawn_monitor(async move {
            link(&to);
            unlink(&to);
            unlink(&to);
            until_told().await
        });
        failing.send(EndWith(failed()));
        assert_eq!(down_of(monitor).await, failed());
        some_slices().await;
        assert!(peer.is_alive());
    }

    // [R21] wherever it lies: in the incoming queue, looked at, or saved.
    async fn unlink_takes_a_queued_exit_back() {
        trap_exit(true);
        let me = self_address::<Anything>();
        for place in ["incoming", "front", "behind another", "saved"] {
            let peer = if place == "incoming" {
                let dead = dead().await;
                link(dead);
                dead
            } else {
                let child = spawn_link(until_told());
                let monitor = monitor(&child);
                if place == "behind another" {
                    me.send(0u8);
                }
                child.send(EndWith(failed()));
                // The exit signal has been sent before the `Down`.
                assert_eq!(down_of(monitor).await, failed());
                child.pid()
            };
            if place == "saved" {
                assert_eq!(try_receive::<Typed<u16>>(), None);
            }
            unlink(peer);
            some_slices().await;
            assert_eq!(exits(), [], "{place}");
            let _ = queued::<Typed<u8>>();
        }
    }

    // [R21] it is the link's that goes.
    async fn unlink_leaves_what_was_sent_by_hand() {
        trap_exit(true);
        let main = self_pid();
        let child = spawn_link(async move {
            send_exit(main, ExitReason::error("by hand"));
            until_told().await
        });
        let other = spawn_link(async { failed() });
        let downs = [monitor(&child), monitor(&other)];
        child.send(EndWith(failed()));
        for down in downs {
            down_of(down).await;
        }
        unlink(&child);
        let left = exits();
        assert_eq!(left.len(), 2, "{left:?}");
        assert!(left.contains(&(child.pid(), ExitReason::error("by hand"))));
        assert!(left.contains(&(other.pid(), failed())));
    }

    // [R21]
    async fn an_unlinked_pair_can_be_linked_again() {
        trap_exit(true);
        let child = spawn_link(until_told());
        let monitor = monitor(&child);
        for _ in 0..10 {
            unlink(&child);
            link(&child);
        }
        child.send(EndWith(failed()));
        assert_eq!(down_of(monitor).await, failed());
        assert_eq!(exits(), [(child.pid(), failed())]);
    }

    // [R21] also with a signal of the old link on its way.
    async fn a_new_link_is_not_ended_by_the_signal_of_an_old_one() {
        trap_exit(true);
        let dead = dead().await;
        for links in 1..4 {
            for _ in 1..links {
                link(dead);
                unlink(dead);
            }
            link(dead);
            some_slices().await;
            assert_eq!(exits(), [(dead, ExitReason::NoProcess)]);
        }
    }

    // [R22]
    async fn a_linked_child_that_ends_at_once_gives_one_exit() {
        trap_exit(true);
        let children = [
            (spawn_link(async {}).pid(), ExitReason::Normal),
            (spawn_link(async { failed() }).pid(), failed()),
            (spawn_link(async { exit(failed()).await }).pid(), failed()),
        ];
        for _ in &children {
            let Exit { from, reason, .. } = receive().await;
            assert!(children.contains(&(from, reason)));
        }
        some_slices().await;
        assert_eq!(exits(), []);
    }

    // [R22]
    async fn a_child_that_is_linked_and_monitored_gives_one_of_each() {
        trap_exit(true);
        let linked = Spawn::new().link();
        let (child, monitor) = linked.clone().spawn_monitor(async { failed() }).unwrap();
        assert_eq!(down_of(monitor).await, failed());
        assert_eq!(exits(), [(child.pid(), failed())]);
        let child = linked.spawn(async { failed() }).unwrap();
        let Exit { from, reason, .. } = receive().await;
        assert_eq!((from, reason), (child.pid(), failed()));
        some_slices().await;
        assert_eq!((exits(), downs()), (vec![], vec![]));
    }

    // [R22] not even when it ends before its parent's slice does.
    async fn a_linked_child_ends_a_parent_that_does_not_trap() {
        let main = self_address::<Anything>();
        let (_, monitor) = spawn_monitor(async move {
            spawn_link(async { failed() });
            main.send("spawned");
            pending::<()>().await
        });
        assert_eq!(down_of(monitor).await, failed());
        assert_eq!(queued::<Typed<&str>>(), [Typed("spawned")]);
    }

    // [R23] [R18] the original reason, not one made from it.
    async fn a_reason_goes_through_a_chain_of_links_unchanged() {
        #[derive(Debug)]
        struct Broken;
        impl std::fmt::Display for Broken {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("broken")
            }
        }
        impl std::error::Error for Broken {}

        let first = spawn(until_told());
        let mut chain = vec![(first.pid(), monitor(&first))];
        let main = self_address::<Anything>();
        for _ in 0..5 {
            let (before, main) = (chain.last().unwrap().0, main.clone());
            let (next, monitor) = spawn_monitor(async move {
                link(before);
                main.send(());
                pending::<()>().await
            });
            let Typed(()) = receive().await;
            chain.push((next.pid(), monitor));
        }
        let reason = ExitReason::error(Broken);
        let address = |reason: &ExitReason| match reason {
            ExitReason::Error(error) => std::ptr::from_ref(
                error.as_error().downcast_ref::<Broken>().unwrap(),
            ) as usize,
            other => panic!("{other:?}"),
        };
        let original = address(&reason);
        first.send(EndWith(reason));
        for (_, monitor) in chain {
            assert_eq!(address(&down_of(monitor).await), original);
        }
    }

    // [R23] one that traps ends the chain.
    async fn one_that_traps_stops_the_spread() {
        let main = self_address::<Anything>();
        let to = main.clone();
        let (trapping, monitor) = spawn_monitor(async move {
            trap_exit(true);
            let middle = spawn_link(async {
                spawn_link(async { failed() });
                pending::<()>().await
            });
            let Exit { from, reason, .. } = receive().await;
            to.send((from == middle.pid(), reason));
            until_stop().await;
        });
        assert_eq!(receive::<Typed<_>>().await, Typed((true, failed())));
        assert!(trapping.is_alive());
        trapping.send(Stop);
        assert_eq!(down_of(monitor).await, ExitReason::Normal);
    }

    // [R23]
    async fn a_normal_end_leaves_a_peer_that_does_not_trap_alone() {
        let (peer, monitor) = spawn_monitor(async {
            let (_, monitor) = Spawn::new().link().spawn_monitor(async {}).unwrap();
            down_of(monitor).await;
            until_stop().await;
        });
        some_slices().await;
        assert!(peer.is_alive());
        peer.send(Stop);
        assert_eq!(down_of(monitor).await, ExitReason::Normal);
    }

    // [R21] [R31] the link that was there before the kill tells why it ended.
    async fn a_link_again_to_one_that_is_killed_leaves_the_link_as_it_is() {
        trap_exit(true);
        let child = spawn_link(until_stop());
        let monitor = monitor(&child);
        kill(&child);
        link(&child);
        assert_eq!(down_of(monitor).await, ExitReason::Killed);
        assert_eq!(exits(), [(child.pid(), ExitReason::Killed)]);
    }

    // [R21] of an actor that ends while it is linked: one signal, with one of two reasons.
    async fn a_link_against_an_end_gives_one_exit() {
        trap_exit(true);
        for n in 0..10 {
            let child = spawn(async move {
                if n % 2 == 0 {
                    yield_now().await;
                }
                failed()
            });
            if n % 3 == 0 {
                yield_now().await;
            }
            link(&child);
            let Exit { from, reason, .. } = receive().await;
            assert_eq!(from, child.pid());
            assert!(reason == failed() || reason == ExitReason::NoProcess);
            some_slices().await;
            assert_eq!(exits(), []);
        }
    }

    // [R21] case 3: while the exit of the one is looked at.
    async fn unlink_within_the_handling_of_an_exit() {
        trap_exit(true);
        let children = [(); 3].map(|()| spawn_link(until_told()));
        let mut monitors = children.each_ref().map(monitor);
        for child in &children {
            child.send(EndWith(failed()));
        }
        for monitor in &mut monitors {
            down_of(*monitor).await;
        }
        let Exit { from, .. } = receive().await;
        unlink(from);
        for child in &children {
            unlink(child);
        }
        assert_eq!(exits(), []);
    }

    // [R33] what links leave behind when one side is gone is nothing that could come back.
    async fn a_dead_peer_is_forgotten() {
        trap_exit(true);
        let child = spawn_link(async { failed() });
        let Exit { .. } = receive().await;
        unlink(&child);
        assert_eq!(gone(&child).await, ExitReason::NoProcess);
        assert_eq!(exits(), []);
    }
}

// [R21] [R32] case 3: no order of locks, no lost end; the two sides agree.
#[test]
fn peers_that_link_and_unlink_each_other_at_once() {
    let _watchdog = support::watchdog(120);
    const ROUNDS: u32 = if cfg!(debug_assertions) {
        10_000
    } else {
        100_000
    };
    for ring in [2, 3] {
        let reason = Runtime::builder().workers(3).run(async move {
            let main = self_address::<Anything>();
            let peers: Vec<_> = (0..ring)
                .map(|_| {
                    let main = main.clone();
                    spawn(async move {
                        trap_exit(true);
                        let Typed(others) = receive::<Typed<Vec<Pid>>>().await;
                        for round in 0..ROUNDS {
                            for &other in &others {
                                link(other);
                                unlink(other);
                            }
                            if round % 16 == 0 {
                                yield_now().await;
                            }
                        }
                        for &other in &others {
                            link(other);
                        }
                        link(self_pid());
                        main.send("done");
                        let Exit { from, reason, .. } = receive().await;
                        main.send((from, reason));
                        some_slices().await;
                        assert_eq!(exits(), []);
                        main.send("quiet");
                        until_stop().await;
                    })
                })
                .collect();
            for peer in &peers {
                let others = peers.iter().map(|p| p.pid()).filter(|&p| p != peer.pid());
                peer.send(others.collect::<Vec<_>>());
            }
            let watched: Vec<_> = peers.iter().map(|peer| peer.pid()).collect();
            let (watcher, watches) = spawn_monitor(async move {
                for round in 0..ROUNDS {
                    for &peer in &watched {
                        assert!(demonitor(monitor(peer)));
                    }
                    if round % 16 == 0 {
                        yield_now().await;
                    }
                }
                assert_eq!(downs(), []);
            });
            for _ in 0..ring {
                assert_eq!(receive::<Typed<_>>().await, Typed("done"));
            }
            let victim = peers[0].pid();
            kill(victim);
            for _ in 1..ring {
                let Typed(exit) = receive::<Typed<(Pid, ExitReason)>>().await;
                assert_eq!(exit, (victim, ExitReason::Killed));
                assert_eq!(receive::<Typed<_>>().await, Typed("quiet"));
            }
            assert_eq!(down_of(watches).await, ExitReason::Normal, "{watcher:?}");
            // They trap exits, and would use up the grace.
            peers.iter().for_each(kill);
        });
        assert_eq!(reason, ExitReason::Normal);
    }
}

// [R21] a link races the end on several workers.
#[test]
fn links_against_ends_on_many_workers() {
    let _watchdog = support::watchdog(120);
    const ROUNDS: u32 = if cfg!(debug_assertions) {
        5_000
    } else {
        50_000
    };
    let reason = Runtime::builder().workers(4).run(async {
        let (_, monitor) = spawn_monitor(async {
            trap_exit(true);
            for round in 0..ROUNDS {
                let peer = spawn(async { failed() });
                for _ in 0..round % 64 {
                    std::hint::spin_loop();
                }
                link(&peer);
                let Exit { from, reason, .. } = receive().await;
                assert_eq!(from, peer.pid());
                assert!(reason == failed() || reason == ExitReason::NoProcess);
                assert_eq!(exits(), []);
            }
        });
        assert_eq!(down_of(monitor).await, ExitReason::Normal);
    });
    assert_eq!(reason, ExitReason::Normal);
}
