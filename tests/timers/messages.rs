//! What comes, when, and to whom. R38-R40.

use super::*;

both! {
    // [R38]
    async fn a_message_comes_once_and_not_early() {
        let me = self_address::<Anything>();
        for n in [0u32, 1, 3] {
            let start = now();
            let timer = send_after(n * MS, &me, n);
            let Typed(got) = receive::<Typed<u32>>().await;
            assert_eq!(got, n);
            assert!(now() - start >= n * MS);
            assert_eq!(timer.cancel(), None);
            assert!(receive::<Envelope>().timeout(2 * MS).await.is_err());
        }
    }

    // [R39] addresses, recipients and pids.
    async fn targets() {
        let me = self_address::<Anything>();
        send_after(MS, &me, 1u32);
        send_after(MS, &me.recipient::<u32>(), 2u32);
        send_after(MS, &self_pid(), 3u32);
        let mut got = Vec::new();
        for _ in 0..3 {
            let Typed(n) = receive::<Typed<u32>>().await;
            got.push(n);
        }
        got.sort_unstable();
        assert_eq!(got, [1, 2, 3]);
    }

    // [R39]
    async fn cancelled_it_does_not_come() {
        let drops = DropCounter::new();
        let timer = send_after(MINUTE, &self_pid(), drops.token());
        let left = timer.cancel().expect("in time");
        assert!(left <= MINUTE && left > MINUTE / 2);
        assert_eq!(drops.count(), 1, "at once");
        assert_eq!((timer.cancel(), timer.clone().cancel()), (None, None));
        let timer = send_interval(MS, &self_pid(), 1u8);
        assert!(timer.cancel().is_some());
        assert_eq!(timer.cancel(), None);
        assert!(receive::<Envelope>().timeout(5 * MS).await.is_err());
    }

    // [R39] by another actor, and by one that drops it.
    async fn cancelled_by_another() {
        let mine = send_after(MINUTE, &self_pid(), "never");
        let other = spawn(async move {
            assert!(mine.cancel().is_some());
            assert_eq!(mine.cancel(), None);
        });
        while other.is_alive() {
            yield_now().await;
        }
        drop(send_after(MS, &self_pid(), "dropping a timer does not cancel it"));
        let Typed(_) = receive::<Typed<&str>>().await;
        assert!(try_receive::<Envelope>().is_none());
    }

    // [R39] a timer to oneself takes its message out of the mailbox, wherever it lies.
    async fn cancelled_after_it_was_sent() {
        let me = self_address::<Anything>();
        // In the order of the queue: others, then the timer's.
        for skipped in [false, true] {
            let drops = DropCounter::new();
            let (a, b) = (drops.token(), drops.token());
            me.send(a);
            let timer = send_after(MS, &me, drops.token());
            let wait = timeout(MINUTE, async {
                while timer_is_pending(&timer) {
                    sleep(MS).await;
                }
            });
            wait.await.expect("it is sent");
            me.send(b);
            if skipped {
                // All three are looked at, and saved.
                assert!(try_receive::<Typed<u8>>().is_none());
            }
            assert_eq!(timer.cancel(), None, "it had been sent");
            assert_eq!(drops.count(), 1);
            for left in [2, 1] {
                assert_eq!(drops.count(), 3 - left);
                assert!(try_receive::<Typed<Token>>().is_some());
            }
            assert!(try_receive::<Envelope>().is_none());
            assert_eq!(timer.cancel(), None);
        }
    }

    // [R39] all ticks of an interval that have not been received.
    async fn ticks_taken_back() {
        let me = self_address::<Anything>();
        let timer = send_interval(MS, &me, 7u64);
        sleep(6 * MS).await;
        me.send(8u64);
        assert!(timer.cancel().is_some());
        let Typed(n) = receive::<Typed<u64>>().await;
        assert_eq!(n, 8);
        sleep(3 * MS).await;
        assert!(try_receive::<Envelope>().is_none());
    }

    // [R40]
    async fn an_interval_keeps_its_schedule() {
        let start = now();
        let timer = send_interval(2 * MS, &self_pid(), "tick");
        for n in 1..=5u32 {
            let Typed(_) = receive::<Typed<&str>>().await;
            assert!(now() - start >= n * 2 * MS);
        }
        assert!(timer.cancel().is_some());
    }

    // [R40] [R35] with its target.
    async fn a_timer_dies_with_its_target() {
        let drops = DropCounter::new();
        let target = spawn(until_stop());
        let once = send_after(MINUTE, &target, drops.token());
        let ask = {
            let (tx, rx) = futures::channel::oneshot::channel();
            let asked = target.ask(|reply_to: ReplyTo<u8>| {
                let _ = tx.send(send_after(MINUTE, &target, reply_to));
            });
            (asked, rx)
        };
        let every = send_interval(MINUTE, &target, Arc::new(drops.token()));
        target.send(Stop);
        assert_eq!(ask.0.await, Err(AskError::Gone(ExitReason::Normal)));
        assert_eq!(ask.1.await.unwrap().cancel(), None);
        assert_eq!(drops.count(), 2);
        assert_eq!((once.cancel(), every.cancel()), (None, None));
        // To the dead from the start.
        assert_eq!(send_after(MS, &target, drops.token()).cancel(), None);
        assert_eq!(send_interval(MS, &target.pid(), 5).cancel(), None);
        assert_eq!(drops.count(), 3);
    }

    // [R60] bounds hold for timers: they refuse, or drop the oldest.
    async fn bounded_targets() {
        let drops = DropCounter::new();
        for (mailbox, kept) in [
            (Mailbox::bounded(1), 1),
            (Mailbox::bounded(1).drop_newest(), 1),
            (Mailbox::bounded(1).drop_oldest(), 3),
        ] {
            let before = drops.count();
            let (go, start) = futures::channel::oneshot::channel();
            let told = self_address::<Anything>();
            let target = Spawn::new()
                .mailbox(mailbox)
                .spawn(async move {
                    start.await.unwrap();
                    let Typed((n, _)) = receive::<Typed<(u32, Token)>>().await;
                    told.send(n);
                    told.send(try_receive::<Envelope>().is_none());
                })
                .unwrap();
            for n in 1..=3u32 {
                let timer = send_after(MS, &target, (n, drops.token()));
                while timer_is_pending(&timer) {
                    sleep(MS).await;
                }
            }
            assert_eq!(drops.count() - before, 2);
            go.send(()).unwrap();
            let Typed(n) = receive::<Typed<u32>>().await;
            assert_eq!(n, kept);
            let Typed(empty) = receive::<Typed<bool>>().await;
            assert!(empty);
            while target.is_alive() {
                yield_now().await;
            }
            assert_eq!(drops.count() - before, 3);
        }
    }

    // [R60] what is taken back frees its place.
    async fn a_place_comes_free() {
        for mailbox in [Mailbox::bounded(1), Mailbox::bounded(1).drop_oldest()] {
            let told = self_address::<Anything>();
            let worker = Spawn::new()
                .mailbox(mailbox)
                .spawn(async move {
                    let me = self_address::<Anything>();
                    for _ in 0..5 {
                        let timer = send_after(MS, &me, [1u64; 9]);
                        while timer_is_pending(&timer) {
                            sleep(MS).await;
                        }
                        assert_eq!(timer.cancel(), None);
                        assert!(try_receive::<Envelope>().is_none());
                        assert_eq!(me.try_send(5u8), Ok(()));
                        assert!(try_receive::<Typed<u8>>().is_some());
                    }
                    told.send("done");
                })
                .unwrap();
            let done = receive::<Typed<&str>>().timeout(MINUTE).await;
            assert!(done.is_ok());
            drop(worker);
        }
    }

    // Messages of every size and kind get through a receive, a guard, a catch-all.
    async fn all_kinds_of_messages() {
        #[derive(Clone, PartialEq, Debug)]
        struct Nothing;
        let me = self_address::<Anything>();
        send_after(Duration::ZERO, &me, Nothing);
        let Typed(Nothing) = receive().await;
        send_after(Duration::ZERO, &me, [1u64, 2, 3]);
        assert_eq!(receive_if(|n: &[u64; 3]| n[0] == 1).await, [1, 2, 3]);
        send_after(Duration::ZERO, &me, [7u64; 64]);
        let timer = send_interval(MS, &me, String::from("text"));
        // A guard that refuses gives it back whole.
        let none = receive_if(|n: &[u64; 64]| n[0] == 1);
        assert_eq!(timeout(3 * MS, none).await, Err(Timeout));
        assert_eq!(receive_if(|n: &[u64; 64]| n[0] == 7).await, [7; 64]);
        let any: Envelope = receive().await;
        assert_eq!(any.downcast::<String>().unwrap(), "text");
        assert!(timer.cancel().is_some());
        assert!(try_receive::<Envelope>().is_none());
    }

    // Cancelled in the guard that looks at it: it counts as received.
    async fn cancelled_in_the_matchers_hand() {
        let me = self_address::<Anything>();
        let timer = send_after(Duration::ZERO, &me, 5u32);
        let got = receive_if(|&n: &u32| {
            assert_eq!(timer.cancel(), None);
            n == 5
        });
        assert_eq!(got.await, 5);
    }
}

/// Whether it has not been sent, ended or cancelled.
fn timer_is_pending(timer: &Timer) -> bool {
    format!("{timer:?}") == "Timer { pending: true }"
}

// [R39] zero goes through the timer path.
#[test]
fn a_delay_of_nothing_does_not_send_at_once() {
    let runtime = Runtime::builder().manual();
    runtime.block_on(async {
        let timer = send_after(Duration::ZERO, &self_pid(), 'a');
        assert!(try_receive::<Envelope>().is_none());
        assert_eq!(timer.cancel(), Some(Duration::ZERO));
        send_after(Duration::ZERO, &self_pid(), 'b');
        let Typed(b) = receive::<Typed<char>>().await;
        assert_eq!(b, 'b');
    });
    assert_eq!(runtime.stats().uptime, Duration::ZERO);
}

// [R38] the order of equal deadlines is the seed's; different ones come in order.
#[test]
fn orders() {
    let order = |seed| {
        let runtime = Runtime::builder().seed(seed).manual();
        runtime.block_on(async {
            for n in 0..8u32 {
                send_after(SECOND + n / 4 * MS, &self_pid(), n);
            }
            let mut order = Vec::new();
            for _ in 0..8 {
                let Typed(n) = receive::<Typed<u32>>().await;
                order.push(n);
            }
            order
        })
    };
    let mut orders = std::collections::BTreeSet::new();
    for seed in 0..200 {
        let first = order(seed);
        assert_eq!(first, order(seed));
        assert!(first[..4].iter().all(|&n| n < 4), "{first:?}");
        orders.insert(first);
    }
    assert!(orders.len() > 100, "{}", orders.len());
}

#[test]
fn a_period_of_nothing_panics() {
    let runtime = Runtime::builder().manual();
    let inbox = runtime.inbox::<u8>();
    let text = panic_of(|| drop(runtime.send_interval(Duration::ZERO, &inbox.address(), 1)));
    assert!(text.contains("`send_interval` needs a period"), "{text}");
    let text = panic_of(|| drop(runtime.send_interval_ticks(0, &inbox.address(), 1)));
    assert!(text.contains("`send_interval` needs a period"), "{text}");
    let text = panic_of(|| drop(send_after(MS, &inbox.address(), 1)));
    assert!(text.contains("`Handle::send_after`"), "{text}");
}

// [R40] a worker that comes too late sends once, then goes on in time.
#[test]
fn missed_ticks_are_skipped() {
    let runtime = Runtime::builder().manual();
    let inbox = runtime.inbox::<u8>();
    let timer = runtime.send_interval(10 * SECOND, &inbox.address(), 1);
    let count = |runtime: &ManualRuntime| {
        runtime.run_until_idle();
        std::iter::from_fn(|| inbox.try_recv()).count()
    };
    assert_eq!(count(&runtime), 0);
    runtime.advance(Duration::from_nanos(9_999_999_999));
    assert_eq!(count(&runtime), 0);
    runtime.advance(Duration::from_nanos(1));
    assert_eq!(count(&runtime), 1);
    runtime.advance(35 * SECOND);
    assert_eq!(count(&runtime), 3, "time passes tick by tick");
    assert_eq!(timer.cancel(), Some(5 * SECOND));
    runtime.advance(MINUTE);
    assert_eq!(count(&runtime), 0);
}
