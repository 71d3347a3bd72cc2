//! Messages between actors: order, causality, and where undelivered ones go.

#[macro_use]
mod support;

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use support::{DropCounter, OnDrop, Token, end_of};
use uproar::Runtime;
use uproar::prelude::*;

#[receive]
struct Even(usize, u32);

#[receive]
struct Odd(usize, u32);

#[receive]
enum Number {
    Even(Even),
    Odd(Odd),
}

#[receive]
#[derive(Debug, PartialEq)]
struct First(u32);

#[receive]
#[derive(Debug, PartialEq)]
struct Second(u32);

struct Counted(Token);

both! {
    // [R1] for any mix of types, while senders and receiver move between workers.
    async fn each_senders_messages_arrive_in_its_order() {
        const SENDERS: usize = 4;
        const EACH: u32 = 60;
        let main = self_address::<Anything>();
        let receiver = spawn(async move {
            let mut next = [0; SENDERS];
            for _ in 0..SENDERS as u32 * EACH {
                let (sender, n) = match receive().await {
                    Number::Even(Even(sender, n)) => (sender, n),
                    Number::Odd(Odd(sender, n)) => (sender, n),
                };
                assert_eq!(n, next[sender]);
                next[sender] += 1;
            }
            main.send(next);
        });
        for sender in 0..SENDERS {
            let receiver = receiver.clone();
            spawn(async move {
                for n in 0..EACH {
                    if n % 2 == 0 {
                        receiver.send(Even(sender, n));
                    } else {
                        receiver.send(Odd(sender, n));
                    }
                    if n % 7 == 0 {
                        yield_now().await;
                    }
                }
            });
        }
        let Typed(counts) = receive::<Typed<[u32; SENDERS]>>().await;
        assert_eq!(counts, [EACH; SENDERS]);
    }

    // [R2]
    async fn delivery_is_causal() {
        const ROUNDS: u32 = 50;
        let c = self_address::<Anything>();
        let to_c = c.clone();
        let b = spawn(async move {
            for _ in 0..ROUNDS {
                let Typed(round) = receive::<Typed<u32>>().await;
                to_c.send(Second(round));
            }
        });
        spawn(async move {
            for round in 0..ROUNDS {
                c.send(First(round));
                b.send(round);
                if round % 3 == 0 {
                    yield_now().await;
                }
            }
        });
        let mut firsts = 0;
        for round in 0..ROUNDS {
            loop {
                let next: Envelope = receive().await;
                match next.downcast::<First>() {
                    Ok(First(n)) => {
                        assert_eq!(n, firsts);
                        firsts += 1;
                    }
                    Err(next) => {
                        let Second(n) = next.downcast().unwrap();
                        assert_eq!(n, round);
                        assert!(firsts > round, "the second arrived before the first");
                        break;
                    }
                }
            }
        }
        assert_eq!(firsts, ROUNDS);
    }

    // [R2] the message is in the mailbox when `send` has returned.
    async fn a_sent_message_is_there() {
        let me = self_address::<Anything>();
        for n in 0..10 {
            me.send(First(n));
            assert_eq!(try_receive(), Some(First(n)));
        }
    }

    // [R3]
    async fn a_send_to_the_dead_goes_nowhere() {
        let drops = DropCounter::new();
        let dead = spawn(async {});
        end_of(&dead).await;
        assert!(!dead.is_alive());
        dead.send(Counted(drops.token()));
        send(dead.pid(), Counted(drops.token()));
        dead.recipient::<Counted>().send(Counted(drops.token()));
        assert_eq!(drops.count(), 3);
        match dead.try_send(Counted(drops.token())) {
            Err(SendError::Gone(Counted(token))) => {
                assert_eq!(drops.count(), 3, "it came back");
                drop(token);
            }
            other => panic!("{other:?}"),
        }
        let delivered = dead.deliver(First(1)).await;
        assert!(matches!(delivered, Err(SendError::Gone(First(1)))));
        assert_eq!(drops.count(), 4);
    }

    // [R4] behind what is there.
    async fn a_send_to_oneself_arrives_last() {
        let me = self_address::<Anything>();
        me.send(First(1));
        me.send(Second(2));
        send(self_pid(), First(3));
        assert_eq!(receive::<Second>().await, Second(2));
        assert_eq!(receive::<First>().await, First(1));
        assert_eq!(receive::<First>().await, First(3));
    }

    // [R5]
    async fn a_child_receives_what_was_sent_before_it_ran() {
        for n in 0..20u32 {
            let child = spawn(async move {
                assert_eq!(receive::<First>().await, First(n));
            });
            child.send(First(n));
            let reason = end_of(&child).await;
            assert!(matches!(reason, ExitReason::Normal | ExitReason::NoProcess));
        }
    }

    // [R6]
    async fn queued_messages_are_dropped_once_when_the_actor_ends() {
        let drops = DropCounter::new();
        let places = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&places);
        let place = move || noted.lock().unwrap().push(worker_id());
        for how in 0..3u32 {
            let actor = spawn(async move {
                // Some are saved, some are not.
                let Typed(how) = receive::<Typed<u32>>().await;
                match how {
                    0 => Ok(()),
                    1 => Err("an error"),
                    _ => panic!("a panic"),
                }
            });
            for _ in 0..50 {
                actor.send(Counted(drops.token()));
            }
            actor.send(OnDrop(place.clone()));
            let mut ends = Vec::new();
            for _ in 0..5 {
                ends.push(end_of(&actor));
            }
            actor.send(how);
            for _ in 0..50 {
                actor.send(Counted(drops.token()));
            }
            for end in ends {
                let reason = end.await;
                match how {
                    0 => assert_eq!(reason, ExitReason::Normal),
                    1 => assert_eq!(reason, ExitReason::error("an error")),
                    _ => assert!(matches!(reason, ExitReason::Panic(_))),
                }
            }
            // What came after its end was dropped by the sender, all the rest by the end,
            // which goes on while the asker is told.
            while drops.count() < 100 * (how as usize + 1) {
                yield_now().await;
            }
            assert_eq!(drops.count(), 100 * (how as usize + 1));
        }
        let places = places.lock().unwrap();
        assert_eq!(places.len(), 3);
        assert!(places.iter().all(Option::is_some), "dropped on workers: {places:?}");
    }

    // [R7]
    async fn what_was_sent_before_a_panic_is_delivered() {
        let main = self_address::<Anything>();
        let parent = spawn(async move {
            let to = main.clone();
            let child = spawn(async move {
                let Typed(n) = receive::<Typed<u32>>().await;
                to.send(Second(n));
            });
            main.send(First(1));
            main.send(child);
            main.send(First(2));
            panic!("after the last send");
        });
        assert_eq!(receive::<First>().await, First(1));
        let Typed(child) = receive::<Typed<Address<Anything>>>().await;
        assert_eq!(receive::<First>().await, First(2));
        while parent.is_alive() {
            yield_now().await;
        }
        // The child lives on.
        assert!(child.is_alive());
        child.send(5u32);
        assert_eq!(receive::<Second>().await, Second(5));
    }

    // [R34]
    async fn a_pid_is_never_used_again() {
        let mut pids = HashSet::new();
        pids.insert(self_pid());
        let mut first = None;
        for _ in 0..100 {
            let actor = spawn(async {});
            assert!(pids.insert(actor.pid()));
            end_of(&actor).await;
            let first = first.get_or_insert(actor);
            assert!(!first.is_alive());
            assert!(first.try_send(()).is_err());
        }
    }
}

// [R5] at its first look, when it could not run before.
#[uproar::test(seeds = 200)]
async fn a_child_that_has_not_run_finds_the_message_at_once() {
    let child = spawn(async {
        assert_eq!(try_receive(), Some(First(1)));
    });
    child.send(First(1));
    assert_eq!(end_of(&child).await, ExitReason::Normal);
}

// [R3] every message to nobody is counted, once.
#[test]
fn dead_letters_are_counted() {
    let runtime = Runtime::builder().manual();
    let dead = runtime.spawn(async {});
    runtime.run_until_idle();
    dead.send(1);
    runtime.send(&dead, 2);
    runtime.block_on({
        let dead = dead.clone();
        async move {
            dead.send(3);
            send(&dead, 4);
        }
    });
    assert_eq!(runtime.stats().dead_letters, 4);
    assert!(dead.try_send(5).is_err());
    assert_eq!(runtime.stats().dead_letters, 4, "it came back");
}

// [R34] a pid of one runtime names nobody in another.
#[test]
fn a_pid_means_nothing_in_another_runtime() {
    let one = Runtime::builder().manual();
    let other = Runtime::builder().manual();
    let drops = DropCounter::new();
    let there = one.spawn(async {
        let _: Envelope = receive().await;
        panic!("nobody sends here");
    });
    let here = other.spawn(async {
        let _: Envelope = receive().await;
        panic!("nor here");
    });
    assert_ne!(there.pid(), here.pid());
    other.send(there.pid(), Counted(drops.token()));
    other.block_on({
        let (pid, token) = (there.pid(), drops.token());
        async move { send(pid, Counted(token)) }
    });
    one.run_until_idle();
    other.run_until_idle();
    assert_eq!(drops.count(), 2);
    assert_eq!(other.stats().dead_letters, 2);
    assert_eq!(one.stats().dead_letters, 0);
    assert!(there.is_alive() && here.is_alive());
}

// [R34] also while slots are used again by many threads at once.
#[test]
fn pids_of_many_threads_are_all_different() {
    let _watchdog = support::watchdog(120);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let runtime = runtime.handle();
            std::thread::spawn(move || {
                (0..5_000)
                    .map(|_| runtime.spawn(async {}).pid())
                    .collect::<Vec<_>>()
            })
        })
        .collect();
    let mut pids = HashSet::new();
    for thread in threads {
        for pid in thread.join().unwrap() {
            assert!(pids.insert(pid), "{pid} was used twice");
        }
    }
    assert_eq!(pids.len(), 20_000);
}

// [R1] [R2] a plain thread's messages to an actor, and to an inbox, keep their order.
#[test]
fn plain_threads_and_inboxes_keep_the_order() {
    let _watchdog = support::watchdog(120);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let inbox = runtime.inbox::<u32>();
    let to = inbox.address();
    let echo = runtime.spawn(async move {
        for _ in 0..10_000 {
            let Typed(n) = receive::<Typed<u32>>().await;
            to.send(n);
        }
    });
    for n in 0..10_000u32 {
        echo.send(n);
    }
    for n in 0..10_000 {
        assert_eq!(inbox.recv_timeout(Duration::from_secs(60)), Ok(n));
    }
    assert_eq!(inbox.try_recv(), None);
}
