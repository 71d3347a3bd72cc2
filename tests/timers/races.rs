//! Cancelling beside what fires, on threads. R38, R39.

use super::*;

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
