//! Timers, and the lives of actors and runtimes. R40, R41, R57, case 17.

use super::*;

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
