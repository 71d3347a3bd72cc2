//! Requests and their replies.

#[macro_use]
mod support;

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use futures::future::{FutureExt, join, select};
use support::{DropCounter, Token, end_of, panic_of};
use uproar::Runtime;
use uproar::prelude::*;

type Request = ReplyTo<u32>;

/// Puts a `ReplyTo` as it is into the request.
fn plain(reply_to: Request) -> Request {
    reply_to
}

/// Answers all requests with a number that counts them.
#[actor]
async fn server() {
    let mut count = 0;
    loop {
        #[receive]
        match receive().await {
            Typed::<Request>(reply_to) => {
                count += 1;
                reply_to.send(count);
            }
        }
    }
}

/// Keeps all requests until it is told to answer, or to end.
enum Keep {
    Answer,
    Drop,
    End,
    Fail,
    Panic,
}

#[actor]
async fn keeper() -> Result<(), &'static str> {
    let mut kept = Vec::new();
    loop {
        #[receive]
        match receive().await {
            Typed::<Request>(reply_to) => kept.push(reply_to),
            Keep::Answer => kept
                .drain(..)
                .for_each(|reply_to: Request| reply_to.send(7)),
            Keep::Drop => kept.clear(),
            Keep::End => return Ok(()),
            Keep::Fail => return Err("a failure"),
            Keep::Panic => panic!("a panic"),
        }
    }
}

struct Counted(#[expect(dead_code)] Token);

both! {
    // [R35]
    async fn a_request_is_answered() {
        let server = spawn(server());
        for n in 1..=20 {
            assert_eq!(server.ask(plain).await, Ok(n));
        }
        let limit = Duration::from_secs(60);
        assert_eq!(server.ask(plain).timeout(limit).await, Ok(21));
        assert_eq!(server.recipient::<Request>().ask(plain).await, Ok(22));
        // Nothing of it went through the mailbox.
        assert!(try_receive::<Envelope>().is_none());
    }

    // [R35]
    async fn the_dead_are_gone_at_once() {
        let dead = spawn(async {});
        end_of(&dead).await;
        let gone = Err(AskError::Gone(ExitReason::NoProcess));
        let asked = dead.ask(plain).now_or_never();
        assert_eq!(asked, Some(gone.clone()), "with no wait");
        assert_eq!(dead.ask(plain).timeout(Duration::MAX).await, gone);
    }

    // [R35] dropped unread in a mailbox.
    async fn a_queued_request_fails_with_the_reason_of_the_end() {
        for how in 0..3 {
            let actor = spawn(async move {
                let Typed(()) = receive::<Typed<()>>().await;
                match how {
                    0 => Ok(()),
                    1 => Err("a failure"),
                    _ => panic!("a panic"),
                }
            });
            let saved = actor.ask(plain);
            actor.send(());
            let queued = actor.ask(plain);
            for asked in [saved.await, queued.await] {
                match (how, asked) {
                    (0, Err(AskError::Gone(ExitReason::Normal))) => {}
                    (1, Err(AskError::Gone(reason))) if reason == ExitReason::error("a failure") => {}
                    (2, Err(AskError::Gone(ExitReason::Panic(panicked)))) => {
                        assert_eq!(panicked.message(), "a panic");
                    }
                    // The second may have come when it was dead.
                    (_, Err(AskError::Gone(ExitReason::NoProcess))) => {}
                    (_, other) => panic!("{how}: {other:?}"),
                }
            }
        }
    }

    // [R35] held by an actor that ends.
    async fn a_request_fails_with_the_actor_that_holds_it() {
        for how in [Keep::End, Keep::Fail, Keep::Panic] {
            let expected = match how {
                Keep::End => Some(ExitReason::Normal),
                Keep::Fail => Some(ExitReason::error("a failure")),
                _ => None,
            };
            let keeper = spawn(keeper());
            let ask = keeper.ask(plain);
            keeper.send(how);
            let Err(AskError::Gone(reason)) = ask.await else {
                panic!("not gone")
            };
            match expected {
                Some(expected) => assert_eq!(reason, expected),
                None => assert!(matches!(reason, ExitReason::Panic(_))),
            }
        }
    }

    // [R35] dropped by an actor that goes on.
    async fn a_dropped_request_has_no_reply() {
        let keeper = spawn(keeper());
        for _ in 0..10 {
            let ask = keeper.ask(plain);
            keeper.send(Keep::Drop);
            assert_eq!(ask.await, Err(AskError::NoReply));
        }
        assert!(keeper.is_alive());
    }

    // [R35] dropped in one slice with the end of the actor: it goes with the actor.
    async fn a_request_dropped_right_before_the_end_is_gone() {
        let actor = spawn(async {
            let Typed(reply_to) = receive::<Typed<Request>>().await;
            drop(reply_to);
            Err("the end")
        });
        let asked = actor.ask(plain).await;
        assert_eq!(asked, Err(AskError::Gone(ExitReason::error("the end"))));
    }

    // [R35] one that was passed on outlives whoever passed it.
    async fn a_request_that_is_passed_on_is_answered_by_another() {
        let keeper = spawn(keeper());
        let to = keeper.clone();
        let front = spawn(async move {
            let Typed(reply_to) = receive::<Typed<Request>>().await;
            to.send(reply_to);
        });
        let ask = front.ask(plain);
        while front.is_alive() {
            yield_now().await;
        }
        keeper.send(Keep::Answer);
        assert_eq!(ask.await, Ok(7));
    }

    // [R35]
    async fn asking_oneself_fails_at_once() {
        let me = self_address::<Anything>();
        let mut made = false;
        let asked = me
            .ask(|reply_to: Request| {
                made = true;
                reply_to
            })
            .now_or_never();
        assert_eq!(asked, Some(Err(AskError::CallingSelf)));
        assert!(!made, "no request is made");
        let asked = me.ask(plain).timeout(Duration::from_secs(1));
        assert_eq!(asked.now_or_never(), Some(Err(AskError::CallingSelf)));
        let asked = me.recipient::<Request>().ask(plain).await;
        assert_eq!(asked, Err(AskError::CallingSelf));
        assert!(try_receive::<Envelope>().is_none(), "nothing is left");
        // It is usable afterwards.
        let server = spawn(server());
        assert_eq!(server.ask(plain).await, Ok(1));
    }

    // [R35] a timed-out request, and its late reply.
    async fn a_late_reply_vanishes() {
        let keeper = spawn(keeper());
        let late = keeper.ask(plain).timeout(Duration::from_millis(1));
        assert_eq!(late.await, Err(AskError::Timeout));
        keeper.send(Keep::Answer);
        // It satisfies no later request, and is in no mailbox.
        let next = keeper.ask(plain);
        keeper.send(Keep::Drop);
        assert_eq!(next.await, Err(AskError::NoReply));
        assert!(try_receive::<Envelope>().is_none());
        assert!(keeper.is_alive());
    }

    // [R35] a dropped request, and its late reply.
    async fn a_request_dropped_by_the_asker_is_unwanted() {
        let main = self_address::<Anything>();
        let holder = spawn(async move {
            let Typed(reply_to) = receive::<Typed<Request>>().await;
            main.send(reply_to.is_wanted());
            let Typed(()) = receive().await;
            main.send(reply_to.is_wanted());
            reply_to.send(1);
        });
        let ask = holder.ask(plain);
        assert_eq!(receive::<Typed<bool>>().await, Typed(true));
        drop(ask);
        holder.send(());
        assert_eq!(receive::<Typed<bool>>().await, Typed(false));
        while holder.is_alive() {
            yield_now().await;
        }
    }

    // [R35] the asker dies before the answer.
    async fn the_reply_to_a_dead_asker_vanishes() {
        let keeper = spawn(keeper());
        let drops = DropCounter::new();
        let (to, token) = (keeper.clone(), drops.token());
        let asker = spawn(async move {
            let _token = token;
            let never = to.ask(plain);
            let stop = receive::<Typed<()>>();
            select(never, stop).await;
            panic!("with the request pending");
        });
        let end = end_of(&asker);
        asker.send(());
        assert!(matches!(end.await, ExitReason::Panic(_)));
        keeper.send(Keep::Answer);
        let next = keeper.ask(plain);
        keeper.send(Keep::Answer);
        assert_eq!(next.await, Ok(7));
        assert_eq!(drops.count(), 1);
    }

    // [R35] each reply is dropped once, also when nobody waits for it.
    async fn a_reply_to_nobody_is_dropped_once() {
        let drops = DropCounter::new();
        let (first, second) = (drops.token(), drops.token());
        let actor = spawn(async move {
            let Typed(reply_to) = receive::<Typed<ReplyTo<Counted>>>().await;
            reply_to.send(Counted(first));
            let Typed(reply_to) = receive::<Typed<ReplyTo<Counted>>>().await;
            reply_to.send(Counted(second));
        });
        let wanted = actor.ask(|reply_to: ReplyTo<Counted>| reply_to);
        drop(actor.ask(|reply_to: ReplyTo<Counted>| reply_to));
        let reply = wanted.await.ok();
        while actor.is_alive() {
            yield_now().await;
        }
        while drops.count() < 1 {
            yield_now().await;
        }
        assert_eq!(drops.count(), 1);
        drop(reply);
        assert_eq!(drops.count(), 2);
    }

    // [R63] many requests of one actor at once, answered in another order.
    async fn many_requests_at_once() {
        let server = spawn(async {
            let mut kept = Vec::new();
            while kept.len() < 20 {
                let Typed(request) = receive::<Typed<(u32, Request)>>().await;
                kept.push(request);
            }
            for (n, reply_to) in kept.into_iter().rev() {
                reply_to.send(n * n);
                yield_now().await;
            }
        });
        let asks = (0..20u32).map(|n| server.ask(move |reply_to: Request| (n, reply_to)));
        let replies = futures::future::join_all(asks).await;
        assert_eq!(replies, (0..20).map(|n| Ok(n * n)).collect::<Vec<_>>());
    }

    // [R35] [R60] into a full mailbox the request goes when there is room.
    async fn a_request_waits_for_room_in_a_full_mailbox() {
        let bounded = Spawn::new().mailbox(Mailbox::bounded(1));
        let actor = bounded
            .spawn(async {
                let Typed(()) = receive::<Typed<()>>().await;
                for n in 1..=3 {
                    let Typed(reply_to) = receive::<Typed<Request>>().await;
                    reply_to.send(n);
                }
            })
            .unwrap();
        let filler = actor.try_send(());
        let (one, (two, three)) = join(
            actor.ask(plain),
            join(actor.ask(plain), actor.ask(plain).timeout(Duration::from_secs(100))),
        )
        .await;
        assert!(filler.is_ok());
        let mut replies = [one, two, three].map(Result::unwrap);
        replies.sort_unstable();
        assert_eq!(replies, [1, 2, 3]);
    }

    // [R35] requests that wait for room fail with the end of the actor.
    async fn a_request_that_waits_for_room_fails_with_the_end() {
        let bounded = Spawn::new().mailbox(Mailbox::bounded(1));
        let actor = bounded
            .spawn(async {
                sleep(Duration::from_millis(1)).await;
            })
            .unwrap();
        let _ = actor.try_send(());
        let asked = actor.ask(plain).await;
        assert!(matches!(asked, Err(AskError::Gone(_))), "{asked:?}");
    }
}

// [R35] at its time, not before and not after.
#[uproar::test(seeds = 100)]
async fn a_timeout_is_exact_on_the_virtual_clock() {
    let keeper = spawn(keeper());
    for limit in [1, 10, 86_400_000].map(Duration::from_millis) {
        let start = now();
        assert_eq!(
            keeper.ask(plain).timeout(limit).await,
            Err(AskError::Timeout)
        );
        assert_eq!(now() - start, limit);
    }
    let asked = keeper.ask(plain).timeout(Duration::ZERO).await;
    assert_eq!(asked, Err(AskError::Timeout));
}

// [R35] failures come at once, not at the timeout.
#[uproar::test(seeds = 100)]
async fn failures_take_no_time() {
    let start = now();
    let limit = Duration::from_secs(3600);
    let kept = spawn(keeper());
    let ask = kept.ask(plain).timeout(limit);
    kept.send(Keep::Drop);
    assert_eq!(ask.await, Err(AskError::NoReply));
    let ask = kept.ask(plain).timeout(limit);
    kept.send(Keep::End);
    assert_eq!(ask.await, Err(AskError::Gone(ExitReason::Normal)));
    assert_eq!(
        kept.ask(plain).timeout(limit).await,
        Err(AskError::Gone(ExitReason::NoProcess))
    );
    assert_eq!(now(), start);
}

// [R36] whatever way an ask ends, no timer and no actor is left.
#[test]
fn a_finished_ask_leaves_nothing_behind() {
    let _watchdog = support::watchdog(120);
    let runtime = Runtime::builder().manual();
    let server = runtime.spawn(server());
    let kept = runtime.spawn(keeper());
    let minute = Duration::from_secs(60);
    let before = runtime.now();
    runtime.block_on(async {
        for _ in 0..10_000 {
            server.ask(plain).timeout(minute).await.unwrap();
        }
        for _ in 0..1_000 {
            let mut ask = pin!(kept.ask(plain).timeout(minute));
            assert!(ask.as_mut().now_or_never().is_none());
        }
        let ask = kept.ask(plain).timeout(minute);
        kept.send(Keep::Drop);
        assert_eq!(ask.await, Err(AskError::NoReply));
        for _ in 0..1_000 {
            self_address::<Anything>().send(1u8);
            receive::<Typed<u8>>().timeout(minute).await.unwrap();
        }
    });
    let stats = runtime.stats();
    assert_eq!((stats.timers, stats.live), (0, 2));
    assert_eq!(runtime.now(), before);
}

// [R36] on threads: with requests of 60 s pending no one holds up the end.
#[test]
fn pending_limits_do_not_delay_the_end() {
    let _watchdog = support::watchdog(30);
    let reason = uproar::run(async {
        let server = spawn(server());
        for _ in 0..10_000 {
            let limit = Duration::from_secs(60);
            server.ask(plain).timeout(limit).await.unwrap();
        }
    });
    assert_eq!(reason, ExitReason::Normal);
}

// [R37] two actors that ask each other are told of.
#[test]
fn a_deadlock_of_two_is_reported() {
    let runtime = Runtime::builder().manual();
    let text = panic_of(|| {
        runtime.block_on(async {
            async fn asks_the_first_it_hears_of() {
                let Typed(peer) = receive::<Typed<Address<Anything>>>().await;
                peer.ask(plain).await.unwrap();
            }
            let one = spawn(asks_the_first_it_hears_of());
            let other = spawn(asks_the_first_it_hears_of());
            one.send(other.clone());
            other.send(one.clone());
            one.ask(plain).await.unwrap();
        })
    });
    assert!(text.contains("deadlock"), "{text}");
    assert_eq!(text.matches(" waits for a reply of ").count(), 3, "{text}");
    let circle = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("in a circle: "));
    let circle: Vec<_> = circle.expect("there is one").split(" → ").collect();
    assert_eq!(circle.len(), 3, "{text}");
    assert_eq!(circle[0], circle[2], "{text}");
    assert_ne!(circle[0], circle[1], "{text}");
}

// [R35] from plain threads, and on an executor of any kind.
#[test]
fn asks_from_outside() {
    let _watchdog = support::watchdog(120);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let server = runtime.spawn(server());
    assert_eq!(server.ask(plain).wait(), Ok(1));
    let limit = Duration::from_secs(60);
    assert_eq!(server.ask(plain).timeout(limit).wait(), Ok(2));
    assert_eq!(support::block_on(server.ask(plain)), Ok(3));
    assert_eq!(support::block_on(server.ask(plain).timeout(limit)), Ok(4));
    let kept = runtime.spawn(keeper());
    let short = Duration::from_millis(5);
    assert_eq!(
        support::block_on(kept.ask(plain).timeout(short)),
        Err(AskError::Timeout)
    );
    assert_eq!(
        kept.ask(plain).timeout(short).wait(),
        Err(AskError::Timeout)
    );
    let ask = kept.ask(plain);
    kept.send(Keep::Drop);
    assert_eq!(ask.wait(), Err(AskError::NoReply));
    assert_eq!(runtime.stats().timers, 0);
}

// [R35] answered by a plain thread, through an inbox.
#[test]
fn a_plain_thread_answers() {
    let _watchdog = support::watchdog(120);
    let runtime = Runtime::builder().workers(1).start().unwrap();
    let inbox = runtime.inbox::<Request>();
    let to = inbox.address();
    let asker = runtime.spawn(async move {
        assert_eq!(to.ask(plain).await, Ok(11));
        assert_eq!(to.ask(plain).await, Err(AskError::NoReply));
        let gone = AskError::Gone(ExitReason::NoProcess);
        assert_eq!(
            to.ask(plain).await,
            Err(gone.clone()),
            "queued when it ended"
        );
        assert_eq!(to.ask(plain).await, Err(gone));
    });
    let end = end_of(&asker);
    let minute = Duration::from_secs(60);
    inbox.recv_timeout(minute).unwrap().send(11);
    drop(inbox.recv_timeout(minute).unwrap());
    drop(inbox);
    assert_eq!(support::block_on(end), ExitReason::Normal);
}

// [R35] a worker is not to be blocked.
#[uproar::test]
async fn waiting_for_a_reply_on_a_worker_panics() {
    let server = spawn(server());
    let text = panic_of(|| server.ask(plain).wait());
    assert!(text.contains("`.await`"), "{text}");
    let text = panic_of(|| server.ask(plain).timeout(Duration::MAX).wait());
    assert!(text.contains("`.await`"), "{text}");
}

// [R35] a reply that comes just as the ask is dropped, or just at its timeout: each
// outcome is dropped once, and the server never minds.
#[test]
fn replies_that_meet_the_end_of_the_ask() {
    let _watchdog = support::watchdog(300);
    const ROUNDS: usize = if cfg!(debug_assertions) {
        5_000
    } else {
        50_000
    };
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let drops = DropCounter::new();
    let made = Arc::new(AtomicUsize::new(0));
    let (tokens, count) = (drops.clone(), Arc::clone(&made));
    let server = runtime.spawn(async move {
        loop {
            let Typed(reply_to) = receive::<Typed<ReplyTo<Counted>>>().await;
            count.fetch_add(1, Ordering::SeqCst);
            reply_to.send(Counted(tokens.token()));
        }
    });
    let over = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&over);
    let to = server.clone();
    let asker = runtime.spawn(async move {
        for n in 0..ROUNDS {
            let ask = to.ask(|reply_to: ReplyTo<Counted>| reply_to);
            match n % 3 {
                0 => drop(ask),
                1 => drop(select(ask, yield_now()).await),
                _ => drop(ask.timeout(Duration::from_micros(20)).await),
            }
        }
        told.store(true, Ordering::SeqCst);
    });
    let end = end_of(&asker);
    assert_eq!(support::block_on(end), ExitReason::Normal);
    assert!(over.load(Ordering::SeqCst));
    // The server has answered all when it answers one more.
    let last = server.ask(|reply_to: ReplyTo<Counted>| reply_to).wait();
    drop(last.ok().unwrap());
    assert_eq!(made.load(Ordering::SeqCst), ROUNDS + 1);
    assert_eq!(drops.count(), ROUNDS + 1);
}
