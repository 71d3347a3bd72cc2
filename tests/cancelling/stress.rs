//! Losers of a `select!` on threads.

use std::pin::pin;

use futures::{FutureExt, select_biased};
use uproar::Runtime;
use uproar::prelude::*;

use super::support::watchdog;

/// On threads: actors that receive in a `select!` beside all that may be dropped for it get
/// all that is sent to them, in order.
#[test]
fn losers_of_a_select_lose_nothing() {
    const SENDERS: usize = 3;
    const MESSAGES: u32 = 3_000;

    async fn receiver(server: Address<Anything>, done: Recipient<[u32; SENDERS]>) {
        let mut seen = [0; SENDERS];
        let mut turn = 0u64;
        while seen != [MESSAGES; SENDERS] {
            turn += 1;
            let short = Duration::from_micros(turn % 7 * 10);
            let mut receive = pin!(receive::<Typed<(usize, u32)>>().fuse());
            let mut sleep = pin!(sleep(short).fuse());
            let mut ask = pin!(server.ask(|to: ReplyTo<()>| to).timeout(short).fuse());
            let mut other = pin!(receive_if(|_: &u64| true).fuse());
            let mut deliver = pin!(server.deliver(()).fuse());
            let take = |(from, n): (usize, u32), seen: &mut [u32; SENDERS]| {
                assert_eq!(n, seen[from] + 1, "in order, and none is missing");
                seen[from] = n;
            };
            if turn.is_multiple_of(2) {
                select_biased! {
                    _ = ask => {}
                    _ = sleep => {}
                    Typed(message) = receive => take(message, &mut seen),
                    _ = deliver => {}
                    _ = other => {}
                }
            } else {
                select_biased! {
                    Typed(message) = receive => take(message, &mut seen),
                    _ = other => {}
                    _ = deliver => {}
                    _ = sleep => {}
                    _ = ask => {}
                }
            }
        }
        done.send(seen);
    }

    let _watchdog = watchdog(300);
    let runtime = Runtime::builder().workers(3).start().unwrap();
    let inbox = runtime.inbox();
    let small = Spawn::new().mailbox(Mailbox::bounded(2));
    let serve = async {
        loop {
            if let Typed(Some(reply_to)) = receive::<Typed<ReplyTo<()>>>()
                .timeout(Duration::from_micros(50))
                .await
                .map_or(Typed(None), |Typed(reply_to)| Typed(Some(reply_to)))
            {
                reply_to.send(());
            }
            while try_receive::<Typed<()>>().is_some() {}
        }
    };
    let server: Address<Anything> = runtime.spawn_with(&small, serve).unwrap();
    for _ in 0..4 {
        let actor: Address<Anything> = runtime.spawn(receiver(server.clone(), inbox.address()));
        for from in 0..SENDERS {
            let to = actor.clone();
            runtime.spawn(async move {
                for n in 1..=MESSAGES {
                    to.send((from, n));
                    if n % 16 == 0 {
                        sleep(Duration::from_micros(20)).await;
                    }
                }
            });
        }
    }
    for _ in 0..4 {
        let seen = inbox.recv_timeout(Duration::from_secs(200)).unwrap();
        assert_eq!(seen, [MESSAGES; SENDERS]);
    }
    runtime.kill(&server);
    while runtime.stats().live > 0 {
        std::thread::yield_now();
    }
    assert_eq!(runtime.stats().timers, 0);
}
