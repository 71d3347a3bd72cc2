//! Several futures of one actor that wait at once.

#[macro_use]
mod support;

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures::future::{Either, FutureExt, join_all, join3, select};
use futures::stream::{FuturesUnordered, StreamExt};
use support::{end_of, polled, until_stop};
use uproar::prelude::*;

#[receive]
#[derive(Debug, PartialEq)]
struct A(u32);

#[receive]
#[derive(Debug, PartialEq)]
struct B(u32);

#[receive]
#[derive(Debug, PartialEq)]
struct C(u32);

/// A waker that counts.
#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Woken {
    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Sends the messages, letting others run in between.
fn sends(messages: Vec<Envelope>) -> Address<Anything> {
    fn forward(to: &Address<Anything>, message: Envelope) {
        match message.downcast::<A>() {
            Ok(message) => to.send(message),
            Err(message) => match message.downcast::<B>() {
                Ok(message) => to.send(message),
                Err(message) => to.send(message.downcast::<C>().unwrap()),
            },
        }
    }
    let to = self_address::<Anything>();
    spawn(async move {
        for message in messages {
            forward(&to, message);
            yield_now().await;
        }
    })
}

both! {
    // [R63]
    async fn receives_in_a_join() {
        sends(vec![
            Envelope::new(C(3)),
            Envelope::new(B(2)),
            Envelope::new(A(1)),
            Envelope::new(A(4)),
        ]);
        let received = join3(receive::<A>(), receive::<B>(), receive::<C>()).await;
        assert_eq!(received, (A(1), B(2), C(3)));
        assert_eq!(receive::<A>().await, A(4));
    }

    // [R63] [R8] of one type: each message goes to one of them, none is lost.
    async fn receives_of_one_type_in_a_join() {
        sends((0..20).map(|n| Envelope::new(A(n))).collect());
        let received = join_all((0..20).map(|_| receive::<A>())).await;
        let mut numbers: Vec<u32> = received.into_iter().map(|A(n)| n).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..20).collect::<Vec<_>>());
        assert!(try_receive::<Envelope>().is_none());
    }

    // [R63] each under a waker of its own.
    async fn receives_in_a_futures_unordered() {
        const COUNT: u32 = 30;
        // In an order that fits none of the receives.
        sends((0..COUNT).map(|n| Envelope::new(A(n * 7 % COUNT))).collect());
        let mut waiting: FuturesUnordered<_> = (0..COUNT)
            .map(|n| receive_if(move |a: &A| a.0 == n))
            .collect();
        let mut order = Vec::new();
        while let Some(A(n)) = waiting.next().await {
            order.push(n);
        }
        order.sort_unstable();
        assert_eq!(order, (0..COUNT).collect::<Vec<_>>());
    }

    // [R63] each tests each message once, also those that another has skipped.
    async fn each_receive_tests_each_message_once() {
        const RECEIVES: usize = 5;
        const OTHERS: u32 = 40;
        let mut messages: Vec<Envelope> = (0..OTHERS).map(|n| Envelope::new(A(n))).collect();
        messages.extend((0..RECEIVES as u32).map(|n| Envelope::new(A(1000 + n))));
        sends(messages);
        let tested = RefCell::new([const { Vec::new() }; RECEIVES]);
        let mut waiting: FuturesUnordered<_> = (0..RECEIVES)
            .map(|i| {
                let tested = &tested;
                receive_if(move |a: &A| {
                    tested.borrow_mut()[i].push(a.0);
                    a.0 == 1000 + i as u32
                })
            })
            .collect();
        while waiting.next().await.is_some() {}
        drop(waiting);
        for (i, tested) in tested.into_inner().into_iter().enumerate() {
            // Oldest first, each once; of the last ones, those that were there.
            assert!(tested.is_sorted_by(|a, b| a < b), "{i}: {tested:?}");
            let others: Vec<u32> = tested.into_iter().filter(|n| *n < OTHERS).collect();
            assert_eq!(others, (0..OTHERS).collect::<Vec<_>>(), "receive {i}");
        }
    }

    // [R63] what one has skipped on its way wakes the other that wants it.
    async fn a_skipped_message_wakes_the_receive_that_wants_it() {
        for _ in 0..5 {
            sends(vec![
                Envelope::new(B(1)),
                Envelope::new(A(2)),
                Envelope::new(C(3)),
            ]);
            let mut waiting: FuturesUnordered<Boxed<u32>> = FuturesUnordered::new();
            waiting.push(Box::pin(receive::<A>().map(|A(n)| n)));
            waiting.push(Box::pin(receive::<B>().map(|B(n)| n)));
            waiting.push(Box::pin(receive_if(|c: &C| c.0 == 3).map(|C(n)| n)));
            let mut sum = 0;
            while let Some(n) = waiting.next().await {
                sum += n;
            }
            assert_eq!(sum, 6);
        }
    }

    // [R63] receives, asks and sleeps of one actor.
    async fn receives_asks_and_sleeps_at_once() {
        let me = self_address::<Anything>();
        let server = spawn(async move {
            for n in 0..10 {
                let Typed(reply_to) = receive::<Typed<ReplyTo<u32>>>().await;
                me.send(B(n));
                yield_now().await;
                reply_to.send(n);
            }
        });
        let mut waiting: FuturesUnordered<Boxed<u32>> = FuturesUnordered::new();
        for n in 0..10 {
            let ask = server.ask(|reply_to: ReplyTo<u32>| reply_to);
            waiting.push(Box::pin(ask.map(Result::unwrap)));
            waiting.push(Box::pin(receive_if(move |b: &B| b.0 == n).map(|B(n)| n)));
            let pause = sleep(Duration::from_micros(n.into()));
            waiting.push(Box::pin(pause.map(move |()| n)));
            let limit = Duration::from_micros(n.into());
            waiting.push(Box::pin(receive::<C>().timeout(limit).map(move |c| {
                assert_eq!(c, Err(Timeout));
                n
            })));
        }
        let mut sum = 0;
        while let Some(n) = waiting.next().await {
            sum += n;
        }
        assert_eq!(sum, 4 * 45);
    }

    // [R63] a select drops the loser, and the message is another's.
    async fn the_loser_of_a_select_leaves_its_message() {
        sends(vec![Envelope::new(B(1)), Envelope::new(A(2))]);
        match select(receive::<A>(), receive::<B>()).await {
            Either::Left((A(2), _)) => assert_eq!(receive::<B>().await, B(1)),
            Either::Right((B(1), _)) => assert_eq!(receive::<A>().await, A(2)),
            _ => panic!("none was sent"),
        }
    }

    // [R63] a message wakes an actor only if it waits in a receive.
    async fn a_message_does_not_wake_a_sleeper() {
        let main = self_address::<Anything>();
        let (sleeper, polls) = polled(async {
            sleep(Duration::from_millis(40)).await;
        });
        let sleeper = spawn(async move {
            main.send("sleeps");
            sleeper.await;
            main.send("awake");
            assert_eq!(receive::<A>().await, A(0));
        });
        let Typed("sleeps") = receive().await else { unreachable!() };
        for n in 0..100 {
            sleeper.send(A(n));
            yield_now().await;
        }
        let Typed("awake") = receive().await else { unreachable!() };
        assert_eq!(polls.load(Ordering::SeqCst), 2);
    }

    // [R63] also when it has waited in a receive before.
    async fn a_message_does_not_wake_who_has_left_its_receive() {
        let main = self_address::<Anything>();
        let (sleeper, polls) = polled(async {
            sleep(Duration::from_millis(40)).await;
        });
        let sleeper = spawn(async move {
            {
                let mut left = pin!(receive::<A>());
                poll_fn(|cx| {
                    assert!(left.as_mut().poll(cx).is_pending());
                    Poll::Ready(())
                })
                .await;
            }
            main.send("sleeps");
            sleeper.await;
            main.send("awake");
        });
        let Typed("sleeps") = receive().await else { unreachable!() };
        for n in 0..100 {
            sleeper.send(A(n));
            yield_now().await;
        }
        let Typed("awake") = receive().await else { unreachable!() };
        // The first message may meet the slice in which the receive was left.
        assert!(polls.load(Ordering::SeqCst) <= 3);
    }

    // [R63] nor one that waits for a reply.
    async fn a_message_does_not_wake_an_asker() {
        let main = self_address::<Anything>();
        let server = spawn(async {
            let Typed(reply_to) = receive::<Typed<ReplyTo<()>>>().await;
            until_stop().await;
            reply_to.send(());
        });
        let to = server.clone();
        let (asker, polls) = polled(async move {
            to.ask(|reply_to: ReplyTo<()>| reply_to).await
        });
        let asker = spawn(async move {
            main.send("asks");
            asker.await.unwrap();
            main.send("answered");
        });
        let Typed("asks") = receive().await else { unreachable!() };
        for n in 0..100 {
            asker.send(A(n));
            yield_now().await;
        }
        server.send(support::Stop);
        let Typed("answered") = receive().await else { unreachable!() };
        assert_eq!(polls.load(Ordering::SeqCst), 2);
    }

    // [R63] under the waker it was last polled with.
    async fn a_receive_wakes_the_last_waker() {
        let (first, second) = (Arc::new(Woken::default()), Arc::new(Woken::default()));
        let mut waiting = pin!(receive::<A>());
        for woken in [&first, &second] {
            let waker = Waker::from(Arc::clone(woken));
            let poll = waiting.as_mut().poll(&mut Context::from_waker(&waker));
            assert!(poll.is_pending());
        }
        sends(vec![Envelope::new(A(1))]);
        while second.count() == 0 {
            yield_now().await;
        }
        assert_eq!(first.count(), 0);
        assert_eq!(waiting.await, A(1));
        // It has left: nobody is woken for it any more.
        let before = second.count();
        sends(vec![Envelope::new(A(2))]);
        assert_eq!(receive::<A>().await, A(2));
        yield_now().await;
        assert_eq!((first.count(), second.count()), (0, before));
    }

    // [R63] the same for asks, sleeps and delivers.
    async fn all_waits_wake_the_last_waker() {
        let server = spawn(async {
            let Typed(reply_to) = receive::<Typed<ReplyTo<u32>>>().await;
            until_stop().await;
            reply_to.send(5);
        });
        let full = Spawn::new().mailbox(Mailbox::bounded(1)).spawn(async {
            loop {
                sleep(Duration::from_millis(1)).await;
                let Typed(n) = receive::<Typed<u32>>().await;
                if n == 2 {
                    break;
                }
            }
        });
        let full = full.unwrap();
        full.send(1u32);
        let mut waits: Vec<Boxed<()>> = vec![
            Box::pin(server.ask(|reply_to: ReplyTo<u32>| reply_to).map(|n| assert_eq!(n, Ok(5)))),
            Box::pin(sleep(Duration::from_millis(2))),
            Box::pin(async move { full.deliver(2u32).await.unwrap() }),
        ];
        for wait in &mut waits {
            let (first, second) = (Arc::new(Woken::default()), Arc::new(Woken::default()));
            for woken in [&first, &second] {
                let waker = Waker::from(Arc::clone(woken));
                let poll = wait.as_mut().poll(&mut Context::from_waker(&waker));
                if poll.is_ready() {
                    // On threads it can be over before it was looked at.
                    second.0.fetch_add(1, Ordering::SeqCst);
                    *wait = Box::pin(std::future::ready(()));
                    break;
                }
            }
            server.send(support::Stop);
            while second.count() == 0 {
                sleep(Duration::from_millis(1)).await;
            }
            wait.await;
        }
    }

    // [R63] an exit signal wakes whatever the actor waits for; here its end by an error of a
    // child future, while others wait.
    async fn waits_that_are_left_behind_wake_nobody() {
        let actor = spawn(async {
            let mut waiting: FuturesUnordered<Boxed<()>> = FuturesUnordered::new();
            for _ in 0..10 {
                waiting.push(Box::pin(receive::<A>().map(drop)));
                waiting.push(Box::pin(sleep(Duration::from_secs(3600))));
            }
            waiting.push(Box::pin(receive::<B>().map(|_| panic!("a child"))));
            while waiting.next().await.is_some() {}
        });
        let end = end_of(&actor);
        for n in 0..5 {
            actor.send(A(n));
        }
        actor.send(B(1));
        assert!(matches!(end.await, ExitReason::Panic(_)));
    }
}

// [R63] exact counts: each arrival is one poll of the actor, and nothing else is.
#[uproar::test(seeds = 200)]
async fn each_arrival_is_one_poll() {
    let (actor, polls) = polled(async {
        let wanted = receive_if(|a: &A| a.0 == 9);
        let pause = sleep(Duration::from_secs(1));
        futures::join!(wanted, pause);
    });
    let actor = spawn(actor);
    // It has run when time passes.
    let pause = || sleep(Duration::from_millis(1));
    pause().await;
    assert_eq!(polls.load(Ordering::SeqCst), 1);
    for n in 0..9 {
        actor.send(A(n));
        pause().await;
        assert_eq!(polls.load(Ordering::SeqCst), 2 + n as usize);
    }
    // Two at once are one.
    actor.send(B(0));
    actor.send(A(9));
    pause().await;
    assert_eq!(polls.load(Ordering::SeqCst), 11);
    // It waits in no receive any more.
    actor.send(B(1));
    pause().await;
    assert_eq!(polls.load(Ordering::SeqCst), 11);
    assert_eq!(end_of(&actor).await, ExitReason::Normal);
    assert_eq!(polls.load(Ordering::SeqCst), 12);
}

// [R63] two receives under one waker: what the first refuses, the second is polled for.
#[uproar::test(seeds = 200)]
async fn an_arrival_is_at_most_a_poll_for_each_receive() {
    let (actor, polls) = polled(async {
        futures::join!(receive_if(|a: &A| a.0 == 9), receive::<B>());
    });
    let actor = spawn(actor);
    let pause = || sleep(Duration::from_millis(1));
    pause().await;
    for n in 0..9 {
        let before = polls.load(Ordering::SeqCst);
        actor.send(A(n));
        pause().await;
        let arrival = polls.load(Ordering::SeqCst) - before;
        assert!((1..=2).contains(&arrival), "{arrival}");
    }
    actor.send(B(0));
    actor.send(A(9));
    assert_eq!(end_of(&actor).await, ExitReason::Normal);
}

// [R63] of several futures with wakers of their own, only those are polled that are woken.
#[uproar::test(seeds = 200)]
async fn only_the_woken_are_polled() {
    let (asleep, polls) = polled(sleep(Duration::from_secs(5)));
    let actor = spawn(async move {
        let mut waiting: FuturesUnordered<Boxed<()>> = FuturesUnordered::new();
        waiting.push(Box::pin(asleep));
        waiting.push(Box::pin(async {
            for n in 0..50 {
                assert_eq!(receive::<A>().await, A(n));
            }
        }));
        while waiting.next().await.is_some() {}
    });
    for n in 0..50 {
        actor.send(A(n));
        sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(polls.load(Ordering::SeqCst), 1);
    let end = end_of(&actor);
    assert_eq!(end.await, ExitReason::Normal);
    assert_eq!(polls.load(Ordering::SeqCst), 2);
}
