//! Messages that are sent later: once, at intervals, and taken back.

#[macro_use]
mod support;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use futures::FutureExt;
use support::{DropCounter, OnDrop, Stop, Token, panic_of, until_stop};
use uproar::prelude::*;
use uproar::{ManualRuntime, Runtime, Tick};

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

/// Waits until no timer is pending. The watchdog ends it.
fn no_timers(runtime: &uproar::Handle) {
    while runtime.stats().timers > 0 {
        thread::yield_now();
    }
}

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

/// Notes the threads that clone and drop it.
struct Traveller(Arc<Mutex<Vec<String>>>);

impl Traveller {
    fn note(&self) {
        let name = thread::current().name().unwrap_or("?").to_owned();
        self.0.lock().unwrap().push(name);
    }
}

impl Clone for Traveller {
    fn clone(&self) -> Self {
        self.note();
        Traveller(Arc::clone(&self.0))
    }
}

impl Drop for Traveller {
    fn drop(&mut self) {
        self.note();
    }
}

// [R39] no value of the user's is cloned or dropped on the reactor's thread.
#[test]
fn the_reactor_touches_no_value() {
    let _watchdog = support::watchdog(60);
    let threads = Arc::new(Mutex::new(Vec::new()));
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let new = || Traveller(Arc::clone(&threads));
    let full = Spawn::new().mailbox(Mailbox::bounded(1));
    let mut actors = Vec::new();
    for how in [
        Spawn::new(),
        full.clone(),
        full.mailbox(Mailbox::bounded(2).drop_oldest()),
    ] {
        let target = runtime.spawn_with(&how, until_stop()).unwrap();
        for n in 0..20 {
            runtime.send_after(n * MS, &target, new());
        }
        runtime.send_interval(MS, &target, new());
        actors.push(target);
    }
    let inbox = runtime.inbox::<Traveller>();
    runtime.send_interval(MS, &inbox.address(), new());
    runtime.send_after(MINUTE, &inbox.address(), new());
    // Actors that end while their timers fire.
    for _ in 0..200 {
        let brief = runtime.spawn(async { sleep(MS).await });
        for _ in 0..10 {
            runtime.send_after(MS, &brief, new());
        }
    }
    thread::sleep(50 * MS);
    for actor in &actors {
        actor.send(Stop);
    }
    runtime.shutdown(SECOND);
    drop((runtime, inbox));
    let threads = threads.lock().unwrap();
    let strange: Vec<_> = threads
        .iter()
        .filter(|name| name.ends_with("-reactor"))
        .collect();
    assert!(strange.is_empty(), "{strange:?}");
    assert!(threads.len() > 2000);
}

// [R39] no tick after `cancel` has returned, on any thread.
#[test]
fn no_tick_after_cancel() {
    let _watchdog = support::watchdog(120);
    let fine = Runtime::builder().timer_resolution(Duration::from_micros(1));
    let runtime = fine.workers(2).start().unwrap();
    let inbox = runtime.inbox::<u32>();
    for round in 0..500u32 {
        let timer = runtime.send_interval(Duration::from_micros(20), &inbox.address(), round);
        if round % 3 > 0 {
            assert_eq!(inbox.recv_timeout(MINUTE), Ok(round));
        }
        assert!(timer.cancel().is_some());
        let sent = std::iter::from_fn(|| inbox.try_recv()).all(|n| n == round);
        assert!(sent);
        for _ in 0..200 {
            std::hint::spin_loop();
        }
        assert_eq!(inbox.try_recv(), None, "sent after `cancel`");
        assert_eq!(timer.cancel(), None);
    }
    no_timers(&runtime);
}

// [R38] cancel against expiry: exactly one of them has it.
#[test]
fn cancelled_or_sent() {
    let _watchdog = support::watchdog(120);
    let fine = Runtime::builder().timer_resolution(Duration::from_micros(1));
    let runtime = fine.workers(2).start().unwrap();
    let inbox = runtime.inbox::<(u32, Token)>();
    let drops = DropCounter::new();
    let rounds = 3000;
    let mut cancelled = 0;
    for n in 0..rounds {
        let delay = Duration::from_micros(u64::from(n % 100));
        let timer = runtime.send_after(delay, &inbox.address(), (n, drops.token()));
        for _ in 0..(n * 37) % 2000 {
            std::hint::spin_loop();
        }
        match timer.cancel() {
            Some(left) => {
                assert!(left <= delay);
                cancelled += 1;
            }
            None => assert_eq!(inbox.recv_timeout(MINUTE).unwrap().0, n),
        }
        assert!(inbox.try_recv().is_none());
    }
    assert_eq!(drops.count(), rounds as usize);
    assert!(cancelled > 0);
    no_timers(&runtime);
}

// [R39] a `clone` that panics ends its interval and nothing else.
#[test]
fn a_clone_that_panics() {
    let _watchdog = support::watchdog(60);
    struct Fragile(Arc<AtomicUsize>, Token);
    let drops = DropCounter::new();
    impl Clone for Fragile {
        fn clone(&self) -> Self {
            assert!(self.0.fetch_add(1, Ordering::SeqCst) < 2, "fragile");
            Fragile(Arc::clone(&self.0), self.1.clone())
        }
    }
    let clones = Arc::new(AtomicUsize::new(0));
    let runtime = Runtime::builder().workers(1).start().unwrap();
    let inbox = runtime.inbox::<Fragile>();
    let timer = runtime.send_interval(MS, &inbox.address(), Fragile(clones.clone(), drops.token()));
    let healthy = runtime.inbox::<u8>();
    runtime.send_interval(MS, &healthy.address(), 1);
    for _ in 0..2 {
        inbox.recv_timeout(MINUTE).ok().unwrap();
    }
    drops.wait_for(3);
    for _ in 0..5 {
        assert_eq!(healthy.recv_timeout(MINUTE), Ok(1));
    }
    assert_eq!(timer.cancel(), None);
    assert_eq!(clones.load(Ordering::SeqCst), 3);
    assert!(inbox.try_recv().is_none());
    assert_eq!(runtime.stats().timers, 1);
    assert_eq!(runtime.stats().panicked, 0);
}

// [R39] a message whose clone cancels its own interval.
#[test]
fn a_clone_that_cancels() {
    #[derive(Default)]
    struct Own(Arc<Mutex<Option<Timer>>>);
    impl Clone for Own {
        fn clone(&self) -> Self {
            let timer = self.0.lock().unwrap().clone();
            assert_eq!(timer.unwrap().cancel(), Some(Duration::ZERO));
            Own(Arc::clone(&self.0))
        }
    }
    let runtime = Runtime::builder().manual();
    let inbox = runtime.inbox::<Own>();
    let own = Own::default();
    let slot = Arc::clone(&own.0);
    let timer = runtime.send_interval(SECOND, &inbox.address(), own);
    *slot.lock().unwrap() = Some(timer);
    runtime.advance(MINUTE);
    assert!(inbox.try_recv().is_none());
    assert_eq!(runtime.stats().timers, 0);
    assert_eq!(Arc::strong_count(&slot), 1, "the message is gone");
}

// Case 17.
#[test]
fn old_timers_do_not_go_on() {
    let runtime = Runtime::builder().seed(17).manual();
    let inbox = runtime.inbox::<(u32, u32)>();
    let drops = DropCounter::new();
    for incarnation in 0..100u32 {
        let (to, token) = (inbox.address(), drops.token());
        let actor = runtime.spawn(async move {
            let me = self_address::<Anything>();
            send_interval(10 * MS, &me, incarnation);
            send_after(3600 * SECOND, &me, token);
            for _ in 0..5 {
                let Typed(n) = receive::<Typed<u32>>().await;
                to.send((incarnation, n));
            }
            panic!("as it does");
        });
        runtime.advance(49 * MS);
        assert!(actor.is_alive());
        assert_eq!(runtime.stats().timers, 2);
        runtime.advance(MS);
        assert!(!actor.is_alive());
        assert_eq!(runtime.stats().timers, 0, "they go with it");
        assert_eq!(drops.count(), incarnation as usize + 1);
        let ticks: Vec<_> = std::iter::from_fn(|| inbox.try_recv()).collect();
        assert_eq!(ticks, [(incarnation, incarnation); 5]);
    }
    assert_eq!(runtime.stats().dead_letters, 0);
}

// [R41] a gauge that counts, and goes back to its base.
#[test]
fn many_are_pending() {
    let _watchdog = support::watchdog(120);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let inbox = runtime.inbox::<Token>();
    let drops = DropCounter::new();
    let timers: Vec<_> = (0..50_000)
        .map(|n| runtime.send_after(MINUTE + n * MS, &inbox.address(), drops.token()))
        .collect();
    assert_eq!(runtime.stats().timers, 50_000);
    for timer in timers.iter().rev().step_by(2) {
        assert!(timer.cancel().is_some());
    }
    assert_eq!(runtime.stats().timers, 25_000);
    assert_eq!(drops.count(), 25_000);
    drop(inbox);
    assert_eq!(runtime.stats().timers, 0);
    assert_eq!(drops.count(), 50_000);
    assert!(timers.iter().all(|timer| timer.cancel().is_none()));
}

// [R57] in the grace timers work; after the end all is inert.
#[test]
fn during_and_after_a_shutdown() {
    let _watchdog = support::watchdog(60);
    for manual in [false, true] {
        let drops = DropCounter::new();
        let told = Arc::new(AtomicUsize::new(0));
        let tell = Arc::clone(&told);
        let last_words = OnDrop(move || {
            // Its own destructor may still set one; it goes with the actor.
            drop(send_after(MS, &self_pid(), "to the dead"));
            tell.fetch_add(1, Ordering::SeqCst);
        });
        let actor = async move {
            let _last_words = last_words;
            until_stop().await;
        };
        let later = |handle: &uproar::Handle, inbox: &uproar::Inbox<Token>| {
            handle.spawn(actor);
            let timer = handle.send_after(MINUTE, &inbox.address(), drops.token());
            let every = handle.send_interval(MINUTE, &inbox.address(), drops.token());
            (timer, every)
        };
        let (handle, inbox, (timer, every)) = if manual {
            let runtime = Runtime::builder().manual();
            let inbox = runtime.inbox::<Token>();
            let timers = later(&runtime, &inbox);
            runtime.run_until_idle();
            runtime.shutdown(SECOND);
            (runtime.handle(), inbox, timers)
        } else {
            let runtime = Runtime::builder().workers(1).start().unwrap();
            let inbox = runtime.inbox::<Token>();
            let timers = later(&runtime, &inbox);
            runtime.shutdown(SECOND);
            (runtime.handle(), inbox, timers)
        };
        assert_eq!(told.load(Ordering::SeqCst), 1);
        assert_eq!(
            drops.count(),
            2,
            "what was pending is gone with the runtime"
        );
        assert_eq!((timer.cancel(), every.cancel()), (None, None));
        let late = handle.send_after(Duration::ZERO, &inbox.address(), drops.token());
        assert_eq!(late.cancel(), None);
        assert_eq!(drops.count(), 3);
        assert_eq!(handle.stats().timers, 0);
    }
}

// [R57] what was set before a shutdown comes within its grace.
#[test]
fn timers_in_the_grace() {
    let runtime = Runtime::builder().manual();
    let inbox = runtime.inbox::<u8>();
    runtime.send_after(SECOND, &inbox.address(), 5);
    let slow = OnDrop(|| {});
    runtime.spawn(async move {
        let _slow = slow;
        sleep(MINUTE).await;
    });
    runtime.run_until_idle();
    assert_eq!(runtime.stats().timers, 2);
    runtime.advance(2 * SECOND);
    assert_eq!(inbox.try_recv(), Some(5));
}

#[test]
fn ticks_count_ticks() {
    let runtime = Runtime::builder().manual();
    let inbox = runtime.inbox::<u32>();
    let every = runtime.send_interval_ticks(2, &inbox.address(), 1);
    let once = runtime.send_after_ticks(3, &inbox.address(), 10);
    let never = runtime.send_after_ticks(u64::MAX, &inbox.address(), 100);
    assert_eq!(runtime.stats().timers, 3);
    let mut got = Vec::new();
    for _ in 0..6 {
        assert_eq!(runtime.tick(), Tick::Counted);
        got.push(std::iter::from_fn(|| inbox.try_recv()).sum::<u32>());
    }
    assert_eq!(got, [0, 1, 10, 1, 0, 1]);
    assert_eq!(runtime.stats().uptime, Duration::ZERO);
    assert_eq!(once.cancel(), None);
    assert_eq!(every.cancel(), Some(Duration::ZERO));
    assert_eq!(
        runtime.tick(),
        Tick::Idle,
        "what is never is not waited for"
    );
    assert_eq!(never.cancel(), Some(Duration::ZERO));
    assert_eq!(runtime.stats().timers, 0);
}

// `block_on` and `wait_ticking` go on while ticks are counted.
#[test]
fn ticks_are_waited_for() {
    let runtime = Runtime::builder().manual();
    runtime.block_on(async {
        send_after_ticks(20, &self_pid(), 'x');
        let every = send_interval_ticks(5, &self_pid(), 'y');
        for _ in 0..3 {
            let Typed(y) = receive::<Typed<char>>().await;
            assert_eq!(y, 'y');
        }
        assert!(every.cancel().is_some());
        assert_eq!(receive_if(|&c: &char| c == 'x').await, 'x');
    });
    let server = runtime.spawn(async {
        let Typed(reply_to) = receive::<Typed<ReplyTo<u8>>>().await;
        send_after_ticks(10, &self_pid(), reply_to);
        let Typed(reply_to) = receive::<Typed<ReplyTo<u8>>>().await;
        reply_to.send(7);
    });
    let early = server
        .clone()
        .ask(|reply_to: ReplyTo<u8>| reply_to)
        .wait_ticking(&runtime, 5);
    assert_eq!(early, Err(AskError::Timeout));
    let runtime = Runtime::builder().manual();
    let server = runtime.spawn(async {
        let Typed(reply_to) = receive::<Typed<ReplyTo<u8>>>().await;
        send_after_ticks(10, &self_pid(), reply_to);
        let Typed(reply_to) = receive::<Typed<ReplyTo<u8>>>().await;
        reply_to.send(7);
    });
    let ask = server.ask(|reply_to: ReplyTo<u8>| reply_to);
    assert_eq!(ask.wait_ticking(&runtime, 50), Ok(7));
}

#[test]
fn threads_do_not_tick() {
    let reason = Runtime::builder().workers(1).run(async {
        drop(send_after_ticks(1, &self_pid(), 5));
    });
    assert!(reason.to_string().contains("does not tick"), "{reason}");
}

// A timer that never comes is nothing to wait for.
#[test]
fn a_deadlock_beside_what_never_comes() {
    let reason = Runtime::builder()
        .workers(1)
        .exit_when_idle(true)
        .run(async {
            send_after(Duration::MAX, &self_pid(), 'a');
            sleep(5 * MS).await;
            let _: Envelope = receive().await;
        });
    assert!(reason.to_string().contains("deadlock"), "{reason}");
    let reason = Runtime::builder()
        .workers(1)
        .exit_when_idle(true)
        .run(async {
            send_after(300 * MS, &self_pid(), 'a');
            let _: Envelope = receive().await;
        });
    assert_eq!(reason, ExitReason::Normal);
}

// A timer of one runtime to an actor of another goes with either.
#[test]
fn across_runtimes() {
    let _watchdog = support::watchdog(60);
    let drops = DropCounter::new();
    let a = Runtime::builder().workers(1).start().unwrap();
    let b = Runtime::builder().workers(1).start().unwrap();
    let inbox = b.inbox::<u8>();
    a.send_after(MS, &inbox.address(), 3);
    assert_eq!(inbox.recv_timeout(MINUTE), Ok(3));
    let actor = b.spawn(until_stop());
    let timer = a.send_after(MINUTE, &actor, drops.token());
    assert_eq!((a.stats().timers, b.stats().timers), (1, 0));
    // A pid of another runtime is nobody's here.
    assert_eq!(a.send_after(MS, &actor.pid(), drops.token()).cancel(), None);
    assert_eq!(drops.count(), 1);
    drop(b);
    assert_eq!(drops.count(), 2);
    assert_eq!(timer.cancel(), None);
    assert_eq!(a.stats().timers, 0);
}

// Timers are set by destructors, and within `now_or_never`, without harm.
#[uproar::test(seeds = 50)]
async fn set_and_forgotten() {
    let target = spawn(async {
        let _late = OnDrop(|| drop(send_after(MS, &self_pid(), 1u8)));
        until_stop().now_or_never();
        sleep(MS).await;
    });
    for n in 0..4 {
        send_interval((n + 1) * MS / 3, &target, n);
    }
    sleep(20 * MS).await;
    assert!(!target.is_alive());
}

fn assert_send_sync<T: Send + Sync>() {}

#[test]
fn a_timer_is_send_and_sync() {
    assert_send_sync::<Timer>();
}
