//! Case 2: a message that comes just before a timed receive goes to sleep, and one that comes
//! at its deadline.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use uproar::Runtime;
use uproar::prelude::*;

use super::rounds;
use super::support::{Watch, block_on, end_of, watchdog};
use super::wakes::wait_until;

const ROUNDS: u64 = rounds(100_000);

/// The receiver says which round it is in; so long after that the message is sent.
fn send_when_it_waits(receiver: &Address<Anything>, waits: &AtomicU64, after: fn(u64) -> Duration) {
    for round in 0..ROUNDS {
        wait_until(|| waits.load(Ordering::Acquire) > round);
        let start = Instant::now();
        while start.elapsed() < after(round) {}
        receiver.send(round);
    }
}

// [R2] The receive does not sleep through its limit.
#[test]
fn a_message_just_before_a_timed_wait_is_seen() {
    let _watchdog = watchdog(600);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let waits = Arc::new(AtomicU64::new(0));
    let told = Arc::clone(&waits);
    let receiver = runtime.spawn(async move {
        for round in 0..ROUNDS {
            told.store(round + 1, Ordering::Release);
            let limit = Duration::from_secs(300);
            let received = receive::<Typed<u64>>().timeout(limit).await;
            assert_eq!(received.map(|Typed(n)| n), Ok(round));
        }
    });
    let end = end_of(&receiver);
    send_when_it_waits(&receiver, &waits, |round| {
        Duration::from_micros(round * 31 % 51)
    });
    assert_eq!(block_on(end), ExitReason::Normal);
}

// [R12] It is the message, or the timeout with the message still to be received.
#[test]
fn a_message_at_the_deadline_is_received_once() {
    const LIMIT: Duration = Duration::from_micros(40);

    let _watchdog = watchdog(600);
    let runtime = Runtime::builder().workers(2);
    let runtime = runtime.timer_resolution(LIMIT / 4).start().unwrap();
    let waits = Arc::new(AtomicU64::new(0));
    let told = Arc::clone(&waits);
    let receiver = runtime.spawn(async move {
        let (mut messages, mut timeouts) = (0, 0);
        for round in 0..ROUNDS {
            told.store(round + 1, Ordering::Release);
            match receive::<Typed<u64>>().timeout(LIMIT).await {
                Ok(Typed(n)) => {
                    messages += 1;
                    assert_eq!(n, round);
                }
                Err(Timeout) => {
                    timeouts += 1;
                    assert_eq!(receive::<Typed<u64>>().await.0, round);
                }
            }
        }
        assert_eq!(messages + timeouts, ROUNDS);
        // The request for its end, and nothing else.
        assert!(try_receive::<Envelope>().is_some_and(|watch| watch.is::<Watch>()));
        assert!(try_receive::<Envelope>().is_none());
    });
    let end = end_of(&receiver);
    send_when_it_waits(&receiver, &waits, |round| {
        LIMIT / 2 + Duration::from_micros(round % 80)
    });
    assert_eq!(block_on(end), ExitReason::Normal);
    assert_eq!(runtime.stats().timers, 0);
}
