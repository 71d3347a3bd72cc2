//! Selective receive.

#[macro_use]
#[path = "../support/mod.rs"]
mod support;

mod costs;
mod misuse;
mod timeouts;

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::{FutureExt, join, select};
use support::{end_of, panic_of, panic_text, polled};
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

#[receive]
enum AorB {
    A(A),
    B(B),
}

enum Command {
    Go(u32),
    Stop,
}

/// Puts one of each into the caller's mailbox.
fn queue_a_b_c() {
    let me = self_address::<Anything>();
    me.send(A(1));
    me.send(B(2));
    me.send(C(3));
}

/// All that the caller's mailbox holds, oldest first, as text.
fn rest() -> Vec<String> {
    let mut rest = Vec::new();
    while let Some(any) = try_receive::<Envelope>() {
        rest.push(name(any));
    }
    rest
}

fn name(any: Envelope) -> String {
    match any.downcast::<A>() {
        Ok(a) => format!("{a:?}"),
        Err(any) => match any.downcast::<B>() {
            Ok(b) => format!("{b:?}"),
            Err(any) => match any.downcast::<C>() {
                Ok(c) => format!("{c:?}"),
                Err(any) => any.type_name().to_owned(),
            },
        },
    }
}

/// Sends `n` numbers to the caller, and has them skipped once.
async fn save_numbers(n: u64) {
    let me = self_address::<Anything>();
    for i in 0..n {
        me.send(i);
    }
    me.send(C(0));
    let C(_) = receive().await;
}

both! {
    // [R8]
    async fn the_oldest_accepted_goes_and_the_rest_keep_their_order() {
        queue_a_b_c();
        // Skips all three, once.
        assert!(try_receive::<Typed<String>>().is_none());
        assert_eq!(receive::<B>().await, B(2));
        assert_eq!(name(receive::<Envelope>().await), "A(1)");
        assert_eq!(name(receive::<Envelope>().await), "C(3)");
        assert!(try_receive::<Envelope>().is_none());
    }

    // [R8]
    async fn the_oldest_of_several_types_is_taken() {
        let me = self_address::<Anything>();
        me.send(C(0));
        for n in 0..50u32 {
            me.send(B(n));
            me.send(A(n));
        }
        for n in 0..50 {
            assert!(matches!(receive::<AorB>().await, AorB::B(B(m)) if m == n));
            assert!(matches!(receive::<AorB>().await, AorB::A(A(m)) if m == n));
        }
        assert_eq!(rest(), ["C(0)"]);
    }

    // [R8]
    async fn a_message_from_the_middle_of_a_long_backlog() {
        save_numbers(1000).await;
        assert_eq!(receive_if(|n: &u64| *n == 500).await, 500);
        assert_eq!(receive_if(|n: &u64| *n % 2 == 1).await, 1);
        let Typed(first) = receive::<Typed<u64>>().await;
        assert_eq!(first, 0);
        let mut left = Vec::new();
        while let Some(Typed(n)) = try_receive::<Typed<u64>>() {
            left.push(n);
        }
        let expected: Vec<u64> = (2..1000).filter(|n| *n != 500).collect();
        assert_eq!(left, expected);
    }

    // [R9]
    async fn arms_are_tried_from_top_to_bottom() {
        let me = self_address::<Anything>();
        for n in [1, 20, 300] {
            me.send(A(n));
        }
        let mut arms = Vec::new();
        for _ in 0..3 {
            #[receive]
            match receive().await {
                A(n) if n > 100 => arms.push(("large", n)),
                A(n) if n > 10 => arms.push(("middle", n)),
                A(n) => arms.push(("any", n)),
            }
        }
        assert_eq!(arms, [("any", 1), ("middle", 20), ("large", 300)]);
    }

    // [R9] per message: an older message of a lower arm goes before a newer one of the first.
    async fn the_age_of_a_message_counts_more_than_the_place_of_its_arm() {
        let me = self_address::<Anything>();
        me.send(B(1));
        me.send(A(2));
        let first = #[receive]
        match receive().await {
            A(n) => n,
            B(n) => n,
        };
        assert_eq!(first, 1);
    }

    // [R9]
    async fn a_later_receive_sees_the_skipped_before_the_newer() {
        let me = self_address::<Anything>();
        me.send(A(1));
        me.send(A(2));
        me.send(B(0));
        assert_eq!(receive::<B>().await, B(0));
        me.send(A(3));
        for n in 1..=3 {
            assert_eq!(receive::<A>().await, A(n));
        }
    }

    // [R9] an enum message is one type; patterns and guards choose among its values.
    async fn an_enum_message_is_selected_by_variant() {
        let me = self_address::<Anything>();
        me.send(Command::Go(1));
        me.send(Command::Stop);
        me.send(Command::Go(2));
        #[receive]
        match receive().await {
            Command::Stop => {}
        }
        for expected in [1, 2] {
            #[receive]
            match receive().await {
                Command::Go(n) => assert_eq!(n, expected),
            }
        }
    }

    // [R10]
    async fn timeout_zero_is_one_full_scan() {
        save_numbers(1000).await;
        let me = self_address::<Anything>();
        me.send(A(1));
        let mut tested = 0;
        let (receive_none, polls) = polled(async {
            #[receive(timeout = Duration::ZERO)]
            match receive().await {
                Typed::<u64>(_) if { tested += 1; false } => unreachable!(),
                Timeout => {}
            }
        });
        receive_none.await;
        assert_eq!(tested, 1000);
        assert_eq!(polls.load(Ordering::SeqCst), 1, "it does not wait");
        let found = receive::<A>().timeout(Duration::ZERO).await;
        assert_eq!(found, Ok(A(1)));
        assert_eq!(receive::<A>().timeout(Duration::ZERO).await, Err(Timeout));
        assert_eq!(try_receive::<A>(), None);
        assert_eq!(try_receive::<Typed<u64>>(), Some(Typed(0)));
    }

    // [R10] also when the slice's reductions are spent.
    async fn timeout_zero_in_a_long_slice_does_not_wait() {
        let me = self_address::<Anything>();
        let (many, polls) = polled(async {
            for n in 0..1000 {
                me.send(A(n));
                assert_eq!(try_receive::<A>(), Some(A(n)));
                assert_eq!(receive::<A>().timeout(Duration::ZERO).await, Err(Timeout));
            }
        });
        many.await;
        assert_eq!(polls.load(Ordering::SeqCst), 1);
    }

    // [R10]
    async fn endless_timeouts_do_not_overflow() {
        let me = self_address::<Anything>();
        let later = me.clone();
        spawn(async move {
            yield_now().await;
            later.send(A(1));
            yield_now().await;
            later.send(A(2));
            later.send(A(3));
        });
        assert_eq!(receive::<A>().timeout(Duration::MAX).await, Ok(A(1)));
        let far = Duration::from_millis(u64::MAX);
        assert_eq!(receive::<A>().timeout(far).await, Ok(A(2)));
        #[receive(timeout = Duration::MAX)]
        match receive().await {
            A(n) => assert_eq!(n, 3),
            Timeout => panic!("too early"),
        }
    }

    // [R12] both are due in one poll, the message first: it wins.
    async fn a_message_that_is_there_wins_over_the_timeout() {
        let me = self_address::<Anything>();
        let limit = Duration::from_millis(10);
        let received = receive::<A>().timeout(limit);
        let sent = async {
            sleep(limit * 2).await;
            me.send(A(1));
        };
        // The second look at the receive comes after its deadline, with a message there.
        let (received, polls) = polled(received);
        let mut received = pin!(received);
        assert!(received.as_mut().now_or_never().is_none());
        sent.await;
        assert_eq!(received.await, Ok(A(1)));
        assert_eq!(polls.load(Ordering::SeqCst), 2);
    }

    // [R12]
    async fn a_timed_out_receive_removes_nothing() {
        queue_a_b_c();
        let missed = receive::<Typed<String>>().timeout(Duration::from_millis(1)).await;
        assert_eq!(missed, Err(Timeout));
        let none = #[receive(timeout = Duration::from_millis(1))]
        match receive().await {
            A(n) if n > 1 => false,
            B(n) if n > 2 => false,
            Timeout => true,
        };
        assert!(none);
        assert_eq!(rest(), ["A(1)", "B(2)", "C(3)"]);
    }

    // [R13] the save pointer: each message is tested once by one receive.
    async fn an_arrival_costs_the_test_of_one_message() {
        save_numbers(1000).await;
        let me = self_address::<Anything>();
        let mut tested = 0u64;
        {
            let mut wanted = pin!(receive_if(|n: &u64| {
                tested += 1;
                *n == 5000
            }));
            assert!(wanted.as_mut().now_or_never().is_none());
            for n in 2000..2100u64 {
                me.send(n);
                assert!(wanted.as_mut().now_or_never().is_none());
            }
            me.send(5000u64);
            assert_eq!(wanted.await, 5000);
        }
        assert_eq!(tested, 1000 + 100 + 1);
    }

    // [R13]
    async fn a_waiting_actor_is_not_polled_for_what_it_has_saved() {
        let main = self_address::<Anything>();
        let (waiting, polls) = polled(async move {
            save_numbers(100).await;
            main.send("waits");
            assert_eq!(receive::<A>().await, A(1));
        });
        let waiting = spawn(waiting);
        let Typed("waits") = receive().await else { unreachable!() };
        // It is over with this slice when it has taken a request in the next.
        let end = end_of(&waiting);
        for _ in 0..100 {
            yield_now().await;
        }
        let before = polls.load(Ordering::SeqCst);
        for _ in 0..100 {
            yield_now().await;
        }
        // On threads its slice may not have begun before: then once.
        assert!(polls.load(Ordering::SeqCst) <= before + 1);
        waiting.send(A(1));
        assert_eq!(end.await, ExitReason::Normal);
    }

    // [R15]
    async fn a_dropped_receive_loses_and_reorders_nothing() {
        queue_a_b_c();
        {
            let mut never = pin!(receive::<Typed<String>>());
            assert!(never.as_mut().now_or_never().is_none());
            self_address::<Anything>().send(A(4));
            assert!(never.as_mut().now_or_never().is_none());
        }
        drop(receive::<A>());
        drop(receive_if(|_: &A| true));
        assert_eq!(rest(), ["A(1)", "B(2)", "C(3)", "A(4)"]);
    }

    // [R15] a receive that loses a race has not taken what came.
    async fn a_receive_that_loses_a_select_takes_nothing() {
        let main = self_address::<Anything>();
        spawn(async move {
            for n in 0..200 {
                main.send(A(n));
                yield_now().await;
            }
        });
        let mut next = 0;
        while next < 200 {
            let message = pin!(receive::<A>());
            let other = pin!(yield_now());
            if let futures::future::Either::Left((A(n), _)) = select(message, other).await {
                assert_eq!(n, next);
                next += 1;
            }
        }
        assert!(try_receive::<Envelope>().is_none());
    }

    // [R15] a request that is made and left does not change where a receive looks.
    async fn leaving_before_the_reply_is_received_hides_no_older_message() {
        fn request(to: &Address<Anything>) -> Result<(), &'static str> {
            let ask = to.ask(|reply_to: ReplyTo<u32>| reply_to);
            drop(ask);
            Err("early return")
        }
        let server = spawn(async {
            loop {
                let Typed(reply_to) = receive::<Typed<ReplyTo<u32>>>().await;
                reply_to.send(1);
            }
        });
        queue_a_b_c();
        assert!(request(&server).is_err());
        assert_eq!(receive::<A>().timeout(Duration::ZERO).await, Ok(A(1)));
        assert_eq!(rest(), ["B(2)", "C(3)"]);
    }

    // [R15] an inner ask times out while the answer of an outer request is queued.
    async fn an_inner_timeout_hides_no_queued_answer() {
        let main = self_address::<Anything>();
        let silent = spawn(async { receive::<Typed<String>>().await; });
        let server = spawn(async move {
            let Typed(n) = receive::<Typed<u32>>().await;
            main.send(B(n));
            main.send("sent");
        });
        server.send(7u32);
        let Typed("sent") = receive().await else { unreachable!() };
        let inner = silent.ask(|reply_to: ReplyTo<u32>| reply_to);
        assert_eq!(inner.timeout(Duration::from_millis(1)).await, Err(AskError::Timeout));
        // The same with an inner ask that a select drops.
        let inner = silent.ask(|reply_to: ReplyTo<u32>| reply_to);
        select(inner, pin!(yield_now())).await;
        assert_eq!(receive::<B>().timeout(Duration::ZERO).await, Ok(B(7)));
        silent.send(String::new());
    }

    // [R16]
    async fn a_guard_that_panics_takes_the_message_under_test_at_most() {
        queue_a_b_c();
        let caught = async {
            #[receive]
            match receive().await {
                Typed::<String>(_) => {}
                B(n) if { assert_ne!(n, 2, "the guard"); true } => {}
            }
        };
        let payload = std::panic::AssertUnwindSafe(caught).catch_unwind().await.unwrap_err();
        assert!(panic_text(&*payload).contains("the guard"));
        assert_eq!(rest(), ["A(1)", "C(3)"]);
    }

    // [R16] the same for one that was saved before.
    async fn a_guard_that_panics_at_a_saved_message() {
        queue_a_b_c();
        assert!(try_receive::<Typed<String>>().is_none());
        let caught = receive_if(|_: &B| panic!("the predicate"));
        let payload = std::panic::AssertUnwindSafe(caught).catch_unwind().await.unwrap_err();
        assert_eq!(panic_text(&*payload), "the predicate");
        self_address::<Anything>().send(B(9));
        assert_eq!(rest(), ["A(1)", "C(3)", "B(9)"]);
    }

    // [R16]
    async fn a_guard_that_panics_ends_the_actor_with_that_panic() {
        let actor = spawn(async {
            receive_if(|n: &u32| *n > 1 || panic!("one")).await;
        });
        let end = end_of(&actor);
        actor.send(1u32);
        let ExitReason::Panic(panicked) = end.await else {
            panic!("not a panic")
        };
        assert_eq!(panicked.message(), "one");
        assert!(panicked.location().unwrap().contains(file!()));
    }

    // [R8] [R15] a receive within a matcher sees the others, not the message under test.
    async fn a_receive_within_a_predicate() {
        let me = self_address::<Anything>();
        for n in 0..4 {
            me.send(A(n));
        }
        me.send(B(0));
        let mut inner = Vec::new();
        let taken = receive_if(|a: &A| {
            if a.0 == 1 {
                inner.push(try_receive::<A>());
                inner.push(try_receive::<A>());
            }
            a.0 == 3
        });
        assert_eq!(taken.now_or_never(), Some(A(3)));
        // 0 had been skipped; 2 and 3 came after the one under test.
        assert_eq!(inner, [Some(A(0)), Some(A(2))]);
        assert_eq!(rest(), ["A(1)", "B(0)"]);
    }

    // [R17]
    async fn a_receive_of_another_actor_panics() {
        let foreign = receive::<A>();
        let actor = spawn(async move {
            let Typed(foreign) = receive::<Typed<uproar::Receive<A>>>().await;
            foreign.await;
        });
        let end = end_of(&actor);
        actor.send(foreign);
        let ExitReason::Panic(panicked) = end.await else {
            panic!("not a panic")
        };
        let text = panicked.message();
        assert!(text.contains("a `receive` made by"), "{text}");
        assert!(text.contains(&self_pid().to_string()), "{text}");
        assert!(text.contains(&actor.pid().to_string()), "{text}");
    }

    // [R8] messages without size, large ones and aligned ones pass unharmed.
    async fn messages_of_all_sizes() {
        #[repr(align(64))]
        struct Aligned(u8);
        let me = self_address::<Anything>();
        me.send(());
        me.send([7u8; 10_000]);
        me.send(Aligned(3));
        me.send([1u64, 2, 3]);
        me.send([1u64, 2, 3, 4]);
        assert!(try_receive::<Typed<String>>().is_none());
        let Typed(aligned) = receive::<Typed<Aligned>>().await;
        assert_eq!(aligned.0, 3);
        assert_eq!((&raw const aligned).addr() % 64, 0);
        assert_eq!(receive::<Typed<[u64; 4]>>().await, Typed([1, 2, 3, 4]));
        assert_eq!(receive::<Typed<[u64; 3]>>().await, Typed([1, 2, 3]));
        let Typed(bytes) = receive::<Typed<[u8; 10_000]>>().await;
        assert!(bytes.iter().all(|b| *b == 7));
        let Typed(()) = receive().await;
    }

    // [R8] types that read alike are different types.
    async fn types_are_told_apart() {
        mod other {
            pub struct A(pub u32);
        }
        let me = self_address::<Anything>();
        me.send(other::A(1));
        me.send(A(2));
        assert_eq!(receive::<A>().await, A(2));
        let Typed(other::A(n)) = receive().await;
        assert_eq!(n, 1);
    }
}
