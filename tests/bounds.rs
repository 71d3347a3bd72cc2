//! Bounded mailboxes.

#[macro_use]
mod support;

use std::pin::pin;

use futures::future::{FutureExt, join_all, select};
use support::{DropCounter, Token, polled, until_stop};
use uproar::Runtime;
use uproar::prelude::*;

struct Numbered(u32, #[expect(dead_code)] Token);

struct Of(usize, Numbered);

/// What a mailbox holds when this is sent to it, told by its actor.
struct Tell;

/// An actor that waits for `()`, then tells all numbers that it has.
fn teller(mailbox: Mailbox, to: Address<Anything>) -> Address<Anything> {
    let teller = Spawn::new().mailbox(mailbox).spawn(async move {
        loop {
            let () = tell_now().await;
            let mut numbers = Vec::new();
            while let Some(Typed(Numbered(n, _))) = try_receive() {
                numbers.push(n);
            }
            to.send(numbers);
        }
    });
    teller.unwrap()
}

/// Waits until time has passed, which in the tests it does when all is sent.
async fn tell_now() {
    sleep(Duration::from_secs(1)).await;
}

async fn told() -> Vec<u32> {
    let Typed(numbers) = receive().await;
    numbers
}

// [R60] a full mailbox refuses.
#[uproar::test(seeds = 200)]
async fn a_full_mailbox_refuses() {
    let drops = DropCounter::new();
    let teller = teller(Mailbox::bounded(3), self_address());
    for n in 0..3 {
        assert!(teller.try_send(Numbered(n, drops.token())).is_ok());
    }
    match teller.try_send(Numbered(3, drops.token())) {
        Err(SendError::Full(Numbered(3, _))) => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(drops.count(), 1, "it came back, and was dropped here");
    teller.send(Numbered(4, drops.token()));
    assert_eq!(drops.count(), 2, "dropped by `send`");
    assert_eq!(told().await, [0, 1, 2]);
    assert_eq!(drops.count(), 5);
    // There is room again.
    for n in 5..8 {
        assert!(teller.try_send(Numbered(n, drops.token())).is_ok());
    }
    assert!(teller.try_send(()).is_err());
    assert_eq!(told().await, [5, 6, 7]);
}

// [R60]
#[uproar::test(seeds = 200)]
async fn a_full_mailbox_drops_the_newest() {
    let drops = DropCounter::new();
    let teller = teller(Mailbox::bounded(3).drop_newest(), self_address());
    for n in 0..10 {
        assert!(teller.try_send(Numbered(n, drops.token())).is_ok());
    }
    assert_eq!(drops.count(), 7);
    assert_eq!(told().await, [0, 1, 2]);
    assert_eq!(drops.count(), 10);
    teller.send(Numbered(10, drops.token()));
    assert_eq!(told().await, [10]);
}

// [R60]
#[uproar::test(seeds = 200)]
async fn a_full_mailbox_drops_the_oldest() {
    let drops = DropCounter::new();
    let teller = teller(Mailbox::bounded(3).drop_oldest(), self_address());
    for n in 0..10 {
        assert!(teller.try_send(Numbered(n, drops.token())).is_ok());
    }
    assert_eq!(drops.count(), 7);
    assert_eq!(told().await, [7, 8, 9]);
    assert_eq!(drops.count(), 10);
    teller.send(Numbered(10, drops.token()));
    assert_eq!(told().await, [10]);
}

// [R60] [R8] the oldest of all, also among those that receives have skipped.
#[uproar::test(seeds = 200)]
async fn the_oldest_may_be_one_that_was_skipped() {
    let main = self_address::<Anything>();
    let actor = Spawn::new()
        .mailbox(Mailbox::bounded(4).drop_oldest())
        .spawn(async move {
            // Skips what comes, until time has passed.
            let limit = Duration::from_secs(1);
            assert!(receive::<Typed<Tell>>().timeout(limit).await.is_err());
            let mut numbers = Vec::new();
            while let Some(Typed(n)) = try_receive::<Typed<u32>>() {
                numbers.push(n);
            }
            main.send(numbers);
        })
        .unwrap();
    for n in 0..100u32 {
        actor.send(n);
        if n % 5 == 0 {
            yield_now().await;
        }
    }
    assert_eq!(told().await, [96, 97, 98, 99]);
}

// [R60] waiting senders get room in the order they came.
#[uproar::test(seeds = 200)]
async fn deliver_waits_for_room_in_line() {
    let main = self_address::<Anything>();
    let receiver = Spawn::new()
        .mailbox(Mailbox::bounded(2))
        .spawn(async move {
            sleep(Duration::from_secs(1)).await;
            for n in 0..20 {
                // No more than the bound at any time.
                let Typed(next) = receive::<Typed<u32>>().await;
                assert_eq!(next, n);
            }
            main.send("all");
        })
        .unwrap();
    let delivers = (0..20u32).map(|n| receiver.deliver(n));
    let delivered = join_all(delivers).await;
    assert!(delivered.iter().all(Result::is_ok));
    let Typed("all") = receive().await else {
        unreachable!()
    };
}

// [R60] a plain send does not get in front of senders that wait.
#[uproar::test(seeds = 200)]
async fn a_send_does_not_overtake_waiting_senders() {
    let teller = teller(Mailbox::bounded(1), self_address());
    let drops = DropCounter::new();
    teller.send(Numbered(0, drops.token()));
    let mut waits = pin!(teller.deliver(Numbered(1, drops.token())));
    assert!(waits.as_mut().now_or_never().is_none());
    assert_eq!(told().await, [0]);
    // The place that came free is the waiting sender's.
    assert!(teller.try_send(Numbered(2, drops.token())).is_err());
    assert!(waits.await.is_ok());
    assert_eq!(told().await, [1]);
}

// [R60] a cancelled deliver gives its place in the line, or its room, to the next.
#[uproar::test(seeds = 200)]
async fn a_cancelled_deliver_leaves_the_line() {
    let drops = DropCounter::new();
    let teller = teller(Mailbox::bounded(1), self_address());
    teller.send(Numbered(0, drops.token()));
    let waits = |n| Box::pin(teller.deliver(Numbered(n, drops.token())));
    let (mut first, mut second, mut third) = (waits(1), waits(2), waits(3));
    for waits in [&mut first, &mut second, &mut third] {
        assert!(waits.now_or_never().is_none());
    }
    drop(first);
    assert_eq!(drops.count(), 1, "its message went with it");
    assert_eq!(told().await, [0]);
    // The second has been promised the room that came free; it goes on to the third.
    drop(second);
    assert_eq!(drops.count(), 3);
    assert!(third.await.is_ok());
    assert_eq!(told().await, [3]);
    assert!(teller.try_send(()).is_ok(), "no room was lost");
    assert_eq!(drops.count(), 4);
}

both! {
    // [R60] with a full mailbox of its own an actor would wait for itself.
    async fn deliver_to_oneself_when_full_fails_at_once() {
        let main = self_address::<Anything>();
        let actor = Spawn::new().mailbox(Mailbox::bounded(2)).spawn(async move {
            let me = self_address::<Anything>();
            me.deliver(1u32).await.unwrap();
            me.deliver(2u32).await.unwrap();
            let full = me.deliver(3u32).now_or_never();
            assert!(matches!(full, Some(Err(SendError::Full(3)))));
            // [R4] nor does a plain send to oneself pass the bound.
            assert!(matches!(me.try_send(3u32), Err(SendError::Full(3))));
            let Typed(one) = receive::<Typed<u32>>().await;
            me.deliver(4u32).await.unwrap();
            let Typed(two) = receive::<Typed<u32>>().await;
            let Typed(four) = receive::<Typed<u32>>().await;
            main.send(vec![one, two, four]);
        });
        actor.unwrap();
        assert_eq!(told().await, [1, 2, 4]);
    }

    // [R60] senders that wait for room learn of the end.
    async fn waiting_senders_learn_of_the_end() {
        let drops = DropCounter::new();
        let actor = Spawn::new().mailbox(Mailbox::bounded(1)).spawn(async {
            sleep(Duration::from_millis(1)).await;
            if true {
                panic!("the end");
            }
        });
        let actor = actor.unwrap();
        let delivers = (0..10).map(|n| actor.deliver(Numbered(n, drops.token())));
        let mut gone = 0;
        for delivered in join_all(delivers).await {
            match delivered {
                Ok(()) => {}
                Err(SendError::Gone(_)) => gone += 1,
                Err(other) => panic!("{other:?}"),
            }
        }
        assert!(gone >= 9, "{gone}");
        while actor.is_alive() || drops.count() < 10 {
            yield_now().await;
        }
        assert_eq!(drops.count(), 10);
    }

    // [R60] a message under a matcher counts as taken; refused, it comes back.
    async fn a_message_under_a_guard_makes_room() {
        let main = self_address::<Anything>();
        let actor = Spawn::new().mailbox(Mailbox::bounded(1)).spawn(async move {
            let me = self_address::<Anything>();
            me.try_send(1u32).unwrap();
            let mut inside = None;
            let none = receive_if(|_: &u32| {
                inside.get_or_insert_with(|| me.try_send(2u32).is_ok());
                false
            });
            assert!(none.now_or_never().is_none());
            assert_eq!(inside, Some(true));
            // Both are there, so it is full, beyond its bound.
            assert!(me.try_send(3u32).is_err());
            let mut numbers = Vec::new();
            while let Some(Typed(n)) = try_receive::<Typed<u32>>() {
                numbers.push(n);
            }
            assert!(me.try_send(4u32).is_ok());
            main.send(numbers);
        });
        actor.unwrap();
        assert_eq!(told().await, [1, 2]);
    }

    // [R60] the same when the oldest goes: the refused message is the oldest again.
    async fn a_refused_message_beyond_the_bound_is_the_oldest() {
        let main = self_address::<Anything>();
        let mailbox = Mailbox::bounded(1).drop_oldest();
        let actor = Spawn::new().mailbox(mailbox).spawn(async move {
            let me = self_address::<Anything>();
            me.send(1u32);
            let none = receive_if(|n: &u32| {
                if *n == 1 {
                    me.send(2u32);
                }
                false
            });
            assert!(none.now_or_never().is_none());
            let mut numbers = Vec::new();
            while let Some(Typed(n)) = try_receive::<Typed<u32>>() {
                numbers.push(n);
            }
            main.send(numbers);
        });
        actor.unwrap();
        assert_eq!(told().await, [2]);
    }

    // [R60] nothing is lost or doubled between many senders and one slow receiver.
    async fn many_senders_deliver_through_a_small_mailbox() {
        const SENDERS: usize = 5;
        const EACH: u32 = 30;
        let main = self_address::<Anything>();
        let receiver = Spawn::new().mailbox(Mailbox::bounded(2)).spawn(async move {
            let mut next = [0u32; SENDERS];
            for _ in 0..SENDERS as u32 * EACH {
                let Typed((sender, n)) = receive::<Typed<(usize, u32)>>().await;
                assert_eq!(n, next[sender]);
                next[sender] += 1;
            }
            main.send(next.to_vec());
        });
        let receiver = receiver.unwrap();
        for sender in 0..SENDERS {
            let receiver = receiver.clone();
            spawn(async move {
                for n in 0..EACH {
                    receiver.deliver((sender, n)).await.unwrap();
                }
            });
        }
        assert_eq!(told().await, [EACH; SENDERS]);
    }

    // [R60] a cancelled deliver has delivered or dropped its message, never half.
    async fn a_deliver_in_a_select_is_done_or_not() {
        const COUNT: u32 = 100;
        let drops = DropCounter::new();
        let main = self_address::<Anything>();
        let receiver = Spawn::new().mailbox(Mailbox::bounded(1)).spawn(async move {
            let mut numbers = Vec::new();
            loop {
                let Typed(Numbered(n, _)) = receive().await;
                numbers.push(n);
                if n == u32::MAX {
                    break;
                }
                yield_now().await;
            }
            main.send(numbers);
        });
        let receiver = receiver.unwrap();
        let mut delivered = Vec::new();
        for n in 0..COUNT {
            let deliver = pin!(receiver.deliver(Numbered(n, drops.token())));
            let other = pin!(yield_now());
            if let futures::future::Either::Left((done, _)) = select(deliver, other).await {
                done.unwrap();
                delivered.push(n);
            }
        }
        receiver.deliver(Numbered(u32::MAX, drops.token())).await.unwrap();
        delivered.push(u32::MAX);
        assert_eq!(told().await, delivered);
        assert_eq!(drops.count(), COUNT as usize + 1);
    }

    // [R60] an unbounded mailbox is never full.
    async fn deliver_to_an_unbounded_mailbox_does_not_wait() {
        let actor = spawn(until_stop());
        let (all, polls) = polled(async {
            for n in 0..100u32 {
                actor.deliver(n).await.unwrap();
            }
        });
        all.await;
        // A deliver costs a reduction of the slice: it may end in between.
        assert!(polls.load(std::sync::atomic::Ordering::SeqCst) <= 3);
    }
}

// [R60] drops are counted, and refusals of `send`; what comes back is not.
#[test]
fn drops_are_counted() {
    let runtime = Runtime::builder().mailbox(Mailbox::bounded(2)).manual();
    let refuses = runtime.spawn(until_stop());
    for n in 0..5 {
        refuses.send(n);
    }
    assert!(refuses.try_send(5).is_err());
    assert_eq!(runtime.stats().mailbox_drops, 3);
    let newest = Spawn::new().mailbox(Mailbox::bounded(2).drop_newest());
    let newest = runtime.spawn_with(&newest, until_stop());
    let newest = newest.unwrap();
    for n in 0..5 {
        newest.send(n);
    }
    assert!(newest.try_send(5).is_ok());
    assert_eq!(runtime.stats().mailbox_drops, 3 + 4);
    let oldest = Spawn::new().mailbox(Mailbox::bounded(2).drop_oldest());
    let oldest = runtime.spawn_with(&oldest, until_stop());
    let oldest = oldest.unwrap();
    for n in 0..5 {
        oldest.send(n);
    }
    runtime.run_until_idle();
    for n in 0..5 {
        oldest.send(n);
    }
    assert_eq!(runtime.stats().mailbox_drops, 3 + 4 + 3 + 5);
    assert_eq!(runtime.stats().dead_letters, 0);
    runtime.reset_stats();
    assert_eq!(runtime.stats().mailbox_drops, 0);
}

// [R60] a refused message that finds no room any more is a drop too.
#[test]
fn a_drop_beyond_the_bound_is_counted() {
    let mailbox = Mailbox::bounded(1).drop_oldest();
    let runtime = Runtime::builder().mailbox(mailbox).manual();
    runtime.block_on(async {
        let me = self_address::<Anything>();
        me.send(1u32);
        let none = receive_if(|n: &u32| {
            if *n == 1 {
                me.send(2u32);
            }
            false
        });
        assert!(none.now_or_never().is_none());
        assert_eq!(try_receive(), Some(Typed(2u32)));
    });
    assert_eq!(runtime.stats().mailbox_drops, 1);
}

// [R60] [R35] a request that has to make room is dropped by nobody who ends: `NoReply`,
// whatever becomes of the sender that needed the room.
#[test]
fn a_request_that_makes_room_has_no_reply() {
    let runtime = Runtime::builder().manual();
    let how = Spawn::new().mailbox(Mailbox::bounded(1).drop_oldest());
    let full = runtime.spawn_with(&how, until_stop()).unwrap();
    runtime.run_until_idle();
    let asked = full.ask(|reply_to: ReplyTo<()>| reply_to);
    runtime.spawn(async move {
        full.send(1);
        panic!("the sender");
    });
    assert_eq!(runtime.block_on(asked), Err(AskError::NoReply));
}

// [R60] an exit signal is not delayed behind a full mailbox, nor takes room in it.
#[test]
fn an_exit_passes_a_full_mailbox() {
    for mailbox in [
        Mailbox::bounded(1),
        Mailbox::bounded(1).drop_newest(),
        Mailbox::bounded(1).drop_oldest(),
    ] {
        let runtime = Runtime::builder().manual();
        let how = Spawn::new().mailbox(mailbox);
        let full = runtime.spawn_with(&how, until_stop());
        let full = full.unwrap();
        runtime.run_until_idle();
        full.send(1);
        full.send(2);
        let waiting = runtime.spawn({
            let full = full.clone();
            async move {
                let _ = full.deliver(3).await;
            }
        });
        runtime.run_until_idle();
        let before = runtime.now();
        let report = runtime.shutdown(Duration::from_secs(3600));
        assert!(report.ended);
        assert_eq!(report.killed, 0, "the signal was enough");
        assert_eq!(runtime.now(), before);
        assert!(!full.is_alive() && !waiting.is_alive());
    }
}

// [R60] the same on threads: a storm of senders at a full mailbox.
#[test]
fn a_storm_at_full_mailboxes_loses_no_room() {
    let _watchdog = support::watchdog(300);
    const EACH: u32 = if cfg!(debug_assertions) {
        10_000
    } else {
        100_000
    };
    for mailbox in [
        Mailbox::bounded(4),
        Mailbox::bounded(4).drop_newest(),
        Mailbox::bounded(4).drop_oldest(),
    ] {
        let runtime = Runtime::builder().workers(2).start().unwrap();
        let drops = DropCounter::new();
        let how = Spawn::new().mailbox(mailbox);
        let receiver = runtime.spawn_with(&how, async {
            let mut last = [None; 2];
            loop {
                let Typed(Of(sender, Numbered(n, _))) = receive().await;
                if n == u32::MAX {
                    break;
                }
                assert!(last[sender] < Some(n), "order");
                last[sender] = Some(n);
            }
        });
        let receiver = receiver.unwrap();
        let threads: Vec<_> = (0..2)
            .map(|sender| {
                let (receiver, drops) = (receiver.clone(), drops.clone());
                std::thread::spawn(move || {
                    let mut refused = 0;
                    for n in 0..EACH {
                        let message = Of(sender, Numbered(n, drops.token()));
                        refused += u64::from(receiver.try_send(message).is_err());
                    }
                    refused
                })
            })
            .collect();
        let refused: u64 = threads.into_iter().map(|t| t.join().unwrap()).sum();
        let last = Of(0, Numbered(u32::MAX, drops.token()));
        support::block_on(receiver.deliver(last)).unwrap();
        // The last may be dropped as the newest.
        let mut extra = 0;
        while receiver.is_alive() {
            extra += 1;
            receiver.send(Of(0, Numbered(u32::MAX, drops.token())));
            std::thread::yield_now();
        }
        let all = 2 * EACH as usize + 1 + extra;
        drops.wait_for(all);
        assert_eq!(drops.count(), all);
        let stats = runtime.stats();
        let messages: u64 = stats.workers.iter().map(|w| w.messages).sum();
        assert!(messages + refused <= all as u64);
    }
}
