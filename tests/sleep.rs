//! Sleeps, limits and intervals; the deadlines of receives and asks.

#[macro_use]
mod support;

use std::future::pending;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::thread;
use std::time::Instant;

use futures::stream::{FuturesUnordered, StreamExt};
use futures::{FutureExt, join, poll, select_biased};
use support::{DropCounter, Stop, panic_of, polled, until_stop};
use uproar::prelude::*;
use uproar::{Runtime, Tick};

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

/// Spans that are hard to add to a clock.
fn endless() -> [Duration; 5] {
    [
        Duration::MAX,
        Duration::from_millis(u64::MAX),
        Duration::from_secs(u64::MAX / 10),
        Duration::from_nanos(i64::MAX as u64),
        Duration::from_nanos(u64::MAX),
    ]
}

both! {
    // [R38]
    async fn nothing_ends_early() {
        for nanos in [0, 1, 999, 1_000_000, 1_000_001, 2_345_678, 999_999, 500_000] {
            let span = Duration::from_nanos(nanos);
            let start = now();
            sleep(span).await;
            assert!(now() - start >= span, "{span:?}");
            let start = now();
            sleep_until(start + span).await;
            assert!(now() >= start + span, "{span:?}");
            let start = now();
            assert_eq!(timeout(span, pending::<()>()).await, Err(Timeout));
            assert!(now() - start >= span, "{span:?}");
            let start = now();
            assert!(receive::<Envelope>().timeout(span).await.is_err());
            assert!(now() - start >= span, "{span:?}");
        }
    }

    // Case 15: no span overflows, none ends early, and each is taken back.
    async fn spans_without_end() {
        let mute = spawn(until_stop());
        for span in endless() {
            assert!(sleep(span).now_or_never().is_none());
            assert!(timeout(span, pending::<()>()).now_or_never().is_none());
            assert!(receive::<Envelope>().timeout(span).now_or_never().is_none());
            assert!(interval(span).next().now_or_never().is_none());
            let ask = mute.ask(|reply_to: ReplyTo<()>| reply_to);
            assert!(ask.timeout(span).now_or_never().is_none());
            let timer = send_after(span, &self_pid(), "never");
            assert!(timer.cancel().expect("it is far away") > SECOND);
            let timer = send_interval(span, &self_pid(), "never");
            assert!(timer.cancel().is_some());
            // Beside one that ends, polled again.
            let (mut far, mut near) = (pin!(sleep(span).fuse()), pin!(sleep(MS).fuse()));
            select_biased! {
                () = far => panic!("early"),
                () = near => {}
            }
            assert_eq!(timeout(span, async { 5 }).await, Ok(5));
            send(self_pid(), "at once");
            assert!(receive::<Envelope>().timeout(span).await.is_ok());
        }
        mute.send(Stop);
        assert!(try_receive::<Envelope>().is_none());
    }

    // Case 15 [R10] a limit of zero looks once.
    async fn spans_of_nothing() {
        sleep(Duration::ZERO).await;
        sleep_until(now()).await;
        assert_eq!(timeout(Duration::ZERO, async { 1 }).await, Ok(1));
        assert_eq!(timeout(Duration::ZERO, pending::<()>()).await, Err(Timeout));
        send(self_pid(), 7u32);
        let seven = receive::<Typed<u32>>().timeout(Duration::ZERO).await;
        assert_eq!(seven, Ok(Typed(7)));
        let none = receive::<Typed<u32>>().timeout(Duration::ZERO).await;
        assert_eq!(none, Err(Timeout));
        let mute = spawn(until_stop());
        let none = mute.ask(|reply_to: ReplyTo<()>| reply_to).timeout(Duration::ZERO).await;
        assert_eq!(none, Err(AskError::Timeout));
        mute.send(Stop);
    }

    // [R63] each under the waker that it was last polled with.
    async fn many_at_once() {
        let start = now();
        let mut sleeps: FuturesUnordered<_> = (1..=20u32)
            .rev()
            .map(|n| async move {
                sleep(n * MS).await;
                n
            })
            .collect();
        let mut order = Vec::new();
        while let Some(n) = sleeps.next().await {
            assert!(now() - start >= n * MS);
            order.push(n);
        }
        order.sort_unstable();
        assert_eq!(order, (1..=20).collect::<Vec<_>>());
        let (a, b, c) = join!(
            timeout(MS, pending::<()>()),
            receive::<Envelope>().timeout(2 * MS),
            timeout(60 * SECOND, sleep(3 * MS)),
        );
        assert!(a.is_err() && b.is_err() && c.is_ok());
    }

    // A future that moves from one waker to another is woken under the second.
    async fn polled_under_two_wakers() {
        let mut sleeping = pin!(sleep(2 * MS));
        let mut foreign = FuturesUnordered::new();
        foreign.push(poll!(sleeping.as_mut()).is_pending().then_some(()).map(|()| async {}).unwrap());
        foreign.next().await;
        {
            let mut group = FuturesUnordered::new();
            group.push(async { poll!(sleeping.as_mut()) });
            assert_eq!(group.next().await, Some(Poll::Pending));
        }
        sleeping.await;
    }

    async fn a_ready_future_beats_its_limit() {
        let drops = DropCounter::new();
        let (token, other) = (drops.token(), drops.token());
        let late = async move {
            let _token = token;
            pending::<()>().await
        };
        assert_eq!(timeout(MS, late).await, Err(Timeout));
        assert_eq!(drops.count(), 1, "it goes with the limit");
        assert_eq!(timeout(SECOND, async move { drop(other) }).await, Ok(()));
        let nested = timeout(60 * SECOND, timeout(MS, pending::<()>())).await;
        assert_eq!(nested, Ok(Err(Timeout)));
    }

    // [R40] the schedule is fixed, and never a burst.
    async fn an_interval_skips_what_it_missed() {
        let start = now();
        let period = 5 * MS;
        let mut ticks = interval(period);
        assert_eq!(ticks.period(), period);
        let first = ticks.tick().await;
        assert!(first >= start + period);
        let mut last = first;
        for n in 0..6u32 {
            if n == 3 {
                sleep(17 * MS).await;
            }
            let before = now();
            let tick = ticks.next().await.unwrap();
            assert!(now() >= tick);
            assert_eq!((tick - first).as_nanos() % period.as_nanos(), 0, "on the schedule");
            assert!(tick > last && before >= first, "one after the other");
            last = tick;
        }
    }

    // [R52] one whose time is up lets others run.
    async fn sleeps_of_nothing_starve_nobody() {
        let other = spawn(async {});
        while other.is_alive() {
            sleep(Duration::ZERO).await;
        }
        let mut ticks = interval(Duration::from_nanos(1));
        let other = spawn(async {});
        while other.is_alive() {
            if now().elapsed() > 60 * SECOND {
                break;
            }
            if futures::poll!(ticks.next()).is_pending() {
                yield_now().await;
            }
        }
    }
}

#[test]
fn an_interval_of_nothing_panics() {
    let text = panic_of(|| drop(interval(Duration::ZERO)));
    assert!(text.contains("`interval` needs a period"), "{text}");
}

#[test]
fn outside_an_actor_they_say_what_to_use() {
    let block = |future: &mut dyn FnMut()| panic_of(future);
    let text = block(&mut || support::block_on(sleep(MS)));
    assert!(
        text.contains("`sleep` was called outside an actor"),
        "{text}"
    );
    let text = block(&mut || assert!(support::block_on(timeout(MS, async {})).is_ok()));
    assert!(
        text.contains("`timeout` was called outside an actor"),
        "{text}"
    );
    let text = block(&mut || assert!(support::block_on(interval(MS).tick()) > Instant::now()));
    assert!(
        text.contains("`interval` was called outside an actor"),
        "{text}"
    );
}

// A virtual clock is exact, whatever the resolution.
#[test]
fn virtual_time_is_exact() {
    let runtime = Runtime::builder().timer_resolution(SECOND).manual();
    for nanos in [1, 999, 1_500_000, 86_400_000_000_001] {
        let span = Duration::from_nanos(nanos);
        let start = runtime.now();
        runtime.block_on(sleep(span));
        assert_eq!(runtime.now() - start, span);
    }
}

// [R41] centuries of it.
#[test]
fn centuries_pass() {
    let runtime = Runtime::builder().manual();
    let start = runtime.now();
    let year = 365 * 86_400 * SECOND;
    let inbox = runtime.inbox::<u32>();
    let to = inbox.address();
    runtime.spawn(async move {
        let mut ticks = interval(year);
        for n in 0.. {
            ticks.next().await;
            to.send(n);
        }
    });
    runtime.block_on(async {
        sleep(499 * year).await;
        sleep(year + Duration::from_nanos(1)).await;
    });
    assert_eq!(runtime.now() - start, 500 * year + Duration::from_nanos(1));
    assert_eq!(std::iter::from_fn(|| inbox.try_recv()).count(), 500);
}

// [R36] [R61] finished or dropped, nothing is left.
#[test]
fn nothing_is_left_behind() {
    let runtime = Runtime::builder().workers(1).manual();
    runtime.block_on(async {
        let mute = spawn(until_stop());
        for _ in 0..100 {
            let mut all = (
                Box::pin(sleep(SECOND)),
                Box::pin(timeout(SECOND, pending::<()>())),
                Box::pin(receive::<Envelope>().timeout(SECOND)),
                Box::pin(mute.ask(|reply_to: ReplyTo<()>| reply_to).timeout(SECOND)),
                interval(SECOND),
            );
            assert!(poll!(&mut all.0).is_pending());
            assert!(poll!(&mut all.1).is_pending());
            assert!(poll!(&mut all.2).is_pending());
            assert!(poll!(&mut all.3).is_pending());
            assert!(poll!(all.4.next()).is_pending());
        }
        mute.send(Stop);
        // One that is polled and then goes with its actor.
        let waits = spawn(async {
            join!(sleep(SECOND), until_stop());
        });
        while !waits.is_alive() {
            yield_now().await;
        }
    });
    runtime.run_until_idle();
    assert_eq!(runtime.stats().timers, 1, "the last actor sleeps");
    runtime.shutdown(Duration::ZERO);
    assert_eq!(runtime.stats().timers, 0);
}

// Case 18.
#[test]
fn what_is_answered_keeps_no_timer() {
    let _watchdog = support::watchdog(120);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let drops = DropCounter::new();
    let token = drops.token();
    let inbox = runtime.inbox::<()>();
    let done = inbox.address();
    let server = runtime.spawn(async move {
        let _token = token;
        loop {
            let Typed(reply_to) = receive::<Typed<ReplyTo<u32>>>().await;
            reply_to.send(1);
        }
    });
    let asked = server.clone();
    let token = drops.token();
    runtime.spawn(async move {
        let _token = token;
        let minute = 60 * SECOND;
        for _ in 0..100_000 {
            let ask = asked.ask(|reply_to: ReplyTo<u32>| reply_to);
            assert_eq!(ask.timeout(minute).await, Ok(1));
        }
        let me = self_address::<Anything>();
        let echo = spawn(async move {
            loop {
                let Typed(n) = receive::<Typed<u32>>().await;
                me.send(n);
            }
        });
        for n in 0..100_000u32 {
            echo.send(n);
            let n2 = receive::<Typed<u32>>().timeout(minute).await;
            assert_eq!(n2, Ok(Typed(n)));
        }
        done.send(());
    });
    inbox.recv_timeout(100 * SECOND).unwrap();
    let start = Instant::now();
    while runtime.stats().timers > 0 {
        assert!(start.elapsed() < SECOND);
        thread::yield_now();
    }
    let start = Instant::now();
    assert!(runtime.shutdown(Duration::ZERO).ended);
    assert!(start.elapsed() < SECOND);
    assert_eq!(drops.count(), 2);
}

// Case 16 [R42]: whoever starts the nearer one.
#[test]
fn a_nearer_deadline_wakes_the_reactor() {
    let _watchdog = support::watchdog(120);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    runtime.spawn(async {
        loop {
            sleep(10 * SECOND).await;
        }
    });
    let inbox = runtime.inbox::<Duration>();
    let to = inbox.address();
    // Long enough for the watch to fall asleep.
    thread::sleep(300 * MS);
    let start = Instant::now();
    runtime.spawn(async move {
        let mut worst = Duration::ZERO;
        for _ in 0..2000 {
            let start = now();
            sleep(MS).await;
            worst = worst.max(now() - start);
        }
        to.send(worst);
    });
    let worst = inbox.recv_timeout(60 * SECOND).unwrap();
    let took = start.elapsed();
    assert!(took >= 2 * SECOND && took < 30 * SECOND, "{took:?}");
    assert!(worst < 3 * SECOND, "{worst:?}");
    // From a plain thread, with all workers asleep.
    for _ in 0..5 {
        thread::sleep(150 * MS);
        let start = Instant::now();
        runtime.send_after(MS, &inbox.address(), SECOND);
        assert_eq!(inbox.recv_timeout(9 * SECOND), Ok(SECOND));
        assert!(start.elapsed() < 5 * SECOND);
    }
}

// Case 2, first part: what is sent well before the deadline is received.
#[test]
fn a_message_beside_a_timed_receive() {
    let _watchdog = support::watchdog(120);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let rounds = 20_000;
    let waits = Arc::new(AtomicUsize::new(0));
    let says = Arc::clone(&waits);
    let actor = runtime.spawn(async move {
        for n in 0..rounds {
            says.store(n + 1, Ordering::SeqCst);
            let got = receive::<Typed<usize>>().timeout(20 * SECOND).await;
            assert_eq!(got, Ok(Typed(n)), "not slept through");
        }
    });
    let mut spin = 1u32;
    for n in 0..rounds {
        while waits.load(Ordering::SeqCst) <= n {
            thread::yield_now();
        }
        spin = spin.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        for _ in 0..spin >> 22 {
            std::hint::spin_loop();
        }
        actor.send(n);
    }
    while actor.is_alive() {
        thread::yield_now();
    }
    assert_eq!(runtime.stats().panicked, 0);
    assert_eq!(runtime.stats().timers, 0);
}

// Case 2, second part [R12]: at the deadline it is the message or the timeout, never both
// and never neither.
#[uproar::test(seeds = 300)]
async fn a_message_at_the_deadline() {
    let me = self_address::<Anything>();
    let mut both_ways = [0, 0];
    for n in 0..20u32 {
        let to = me.clone();
        let start = now();
        spawn(async move {
            sleep_until(start + MS).await;
            to.send(n);
        });
        let got = receive::<Typed<u32>>().timeout(MS).await;
        assert_eq!(now(), start + MS);
        both_ways[usize::from(got.is_ok())] += 1;
        let got = match got {
            Ok(got) => got,
            Err(Timeout) => receive::<Typed<u32>>().timeout(SECOND).await.unwrap(),
        };
        assert_eq!(got, Typed(n));
        assert!(try_receive::<Envelope>().is_none());
    }
    assert_eq!(both_ways[0] + both_ways[1], 20);
}

// Case 2, second part, on threads.
#[uproar::test]
async fn a_message_at_the_deadline_on_threads() {
    let _watchdog = support::watchdog(120);
    let me = self_address::<Anything>();
    for n in 0..300u32 {
        send_after(MS, &me, n);
        let first = receive::<Typed<u32>>().timeout(MS).await;
        let got = match first {
            Ok(got) => got,
            Err(Timeout) => receive::<Typed<u32>>().timeout(60 * SECOND).await.unwrap(),
        };
        assert_eq!(got, Typed(n));
        assert!(try_receive::<Envelope>().is_none());
    }
}

// An ask outside of actors does not depend on workers.
#[test]
fn an_outside_ask_times_out_beside_stuck_workers() {
    let _watchdog = support::watchdog(60);
    let runtime = Runtime::builder().workers(1).start().unwrap();
    let (told, busy) = std::sync::mpsc::channel();
    let (go, gone) = std::sync::mpsc::channel::<()>();
    let stuck = runtime.spawn(async move {
        told.send(()).unwrap();
        let _ = gone.recv();
    });
    busy.recv().unwrap();
    let ask = stuck.ask(|reply_to: ReplyTo<()>| reply_to);
    assert_eq!(ask.timeout(5 * MS).wait(), Err(AskError::Timeout));
    assert_eq!(runtime.stats().timers, 0);
    // And an inbox gets its timer's message.
    let inbox = runtime.inbox::<u8>();
    runtime.send_after(MS, &inbox.address(), 5);
    assert_eq!(inbox.recv_timeout(50 * SECOND), Ok(5));
    drop(go);
}

// Woken by its deadline only.
#[test]
fn a_sleeper_is_polled_twice() {
    let runtime = Runtime::builder().manual();
    let (sleeper, polls) = polled(sleep(SECOND));
    runtime.spawn(sleeper);
    runtime.advance(2 * SECOND);
    assert_eq!(polls.load(Ordering::SeqCst), 2);
    assert_eq!(runtime.tick(), Tick::Idle);
}

fn assert_send<T: Send>(_: T) {}

#[test]
fn the_futures_are_send() {
    assert_send(sleep(MS));
    assert_send(timeout(MS, async {}));
    assert_send(interval(MS));
}
