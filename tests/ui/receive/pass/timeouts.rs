//! The time is evaluated once, before the wait, and may itself wait. A matching message wins. [R10] [R12]
#![deny(warnings)]
use uproar::prelude::*;

struct Left(u8);

#[actor]
async fn timeouts() {
    let start = now();
    let me = self_address::<Timeouts>();
    let mut evaluated = 0;
    me.send(Left(1));
    let value: u8 = #[receive(timeout = { evaluated += 1; yield_now().await; Duration::from_millis(5) })]
    match receive().await {
        Left(n) if n > 1 => n,
        uproar::Timeout => 9,
    };
    assert_eq!((value, evaluated), (9, 1));
    assert!(now() - start >= Duration::from_millis(5));
    #[receive(timeout = Duration::ZERO)]
    match receive().await {
        Timeout => unreachable!(),
        Left(n) => assert_eq!(n, 1),
    }
    // A receive of nothing is a sleep.
    #[receive(timeout = Duration::from_millis(1),)]
    match receive().await {
        #[cfg(any())]
        Missing(_) => {}
        Timeout => {}
    }
    // Two `Timeout` arms, of which one is there.
    let n = #[receive(timeout = Duration::ZERO)]
    match receive().await {
        #[cfg(any())]
        Timeout => 1,
        #[cfg(not(any()))]
        Timeout => 2,
    };
    assert_eq!(n, 2);
}

fn main() {
    assert_eq!(uproar::run(timeouts()), ExitReason::Normal);
}
