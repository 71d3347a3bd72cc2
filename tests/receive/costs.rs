//! What a long mailbox costs. R13, R14.

use super::*;

// [R13] a backlog of other types costs nothing. With a rescan this would be 10^10 steps.
#[test]
fn a_backlog_of_other_types_slows_nothing() {
    let _watchdog = support::watchdog(300);
    let reason = uproar::run(async {
        save_numbers(1_000_000).await;
        let me = self_address::<Anything>();
        for n in 0..10_000 {
            me.send(A(n));
            assert_eq!(receive::<A>().await, A(n));
        }
    });
    assert_eq!(reason, ExitReason::Normal);
}

// [R13] nor does a long backlog cost a receive of its own types more than one test each.
#[test]
fn a_backlog_of_the_own_type_is_tested_once() {
    let _watchdog = support::watchdog(300);
    let reason = uproar::run(async {
        save_numbers(200_000).await;
        let me = self_address::<Anything>();
        let tested = AtomicUsize::new(0);
        let mut wanted = pin!(receive_if(|n: &u64| {
            tested.fetch_add(1, Ordering::Relaxed);
            *n == u64::MAX
        }));
        for n in 0..20_000u64 {
            me.send(n);
            assert!(wanted.as_mut().now_or_never().is_none());
        }
        me.send(u64::MAX);
        wanted.await;
        assert_eq!(tested.into_inner(), 220_001);
    });
    assert_eq!(reason, ExitReason::Normal);
}

// [R14] an ask does not pass through the asker's mailbox.
#[test]
fn an_ask_costs_the_same_with_a_million_messages_queued() {
    let _watchdog = support::watchdog(300);
    let runtime = uproar::Runtime::builder().seed(3).manual();
    let polls_of_asks = |backlog: u64| {
        runtime.block_on(async {
            save_numbers(backlog).await;
            let server = spawn(async {
                loop {
                    let Typed(reply_to) = receive::<Typed<ReplyTo<u32>>>().await;
                    reply_to.send(1);
                }
            });
            let (asks, polls) = polled(async {
                for _ in 0..100 {
                    assert_eq!(server.ask(|reply_to: ReplyTo<u32>| reply_to).await, Ok(1));
                }
            });
            asks.await;
            polls.load(Ordering::SeqCst)
        })
    };
    let without = polls_of_asks(0);
    let with = polls_of_asks(1_000_000);
    assert_eq!((without, with), (101, 101));
}
