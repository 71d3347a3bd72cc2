//! The mailbox alarm, as far as the owner itself looks.

use std::cell::Cell;

use tracing::level_filters::LevelFilter;
use uproar::Runtime;
use uproar::prelude::*;

use super::recorder::Recorder;
use super::{support, table, texts};

/// Sends so many messages to an actor that leaves them.
fn flood(to: &Address<Anything>, count: usize) {
    for n in 0..count {
        to.send(n);
    }
}

// Once for each time that it is crossed; again when half has gone meanwhile.
#[test]
pub fn a_long_mailbox() {
    struct Take(usize);

    /// Takes as many numbers as it is told.
    async fn taker() {
        loop {
            let Typed(Take(count)) = receive().await;
            for _ in 0..count {
                let _: Typed<usize> = receive().await;
            }
        }
    }

    let pid = Cell::new(None);
    let lines = Recorder::new("uproar::mailbox", LevelFilter::TRACE).record(|| {
        let runtime = Runtime::builder().mailbox_alarm(100).manual();
        let actor: Address<Anything> = runtime.spawn(taker());
        let step = |sent, taken| {
            flood(&actor, sent);
            runtime.run_until_idle();
            actor.send(Take(taken));
            runtime.run_until_idle();
        };
        pid.set(Some(actor.pid()));
        step(100, 100);
        // All in one batch, which it saves.
        step(150, 45);
        // It hovers: 106 to 56.
        step(1, 50);
        step(60, 60);
        // Down to 50, and up one at a time.
        step(0, 6);
        for _ in 0..60 {
            step(1, 0);
        }
    });
    table::check(&lines);
    let pid = pid.get().unwrap();
    assert_eq!(
        texts(&lines, &["pid", "length"]),
        [150, 101].map(|length| format!("a mailbox is long pid={pid} length={length}"))
    );
    assert!(lines[0].get("actor").contains("taker"));
}

// A batch that is gone at the end of the slice that took it in was too long, too; and so was
// one that came with a control signal.
#[test]
fn a_long_batch() {
    let lines = Recorder::new("uproar::mailbox", LevelFilter::TRACE).record(|| {
        let runtime = Runtime::builder().mailbox_alarm(10).manual();
        let actor: Address<Anything> = runtime.spawn(async {
            trap_exit(true);
            loop {
                let _: Envelope = receive().await;
            }
        });
        for _ in 0..2 {
            flood(&actor, 11);
            runtime.run_until_idle();
            flood(&actor, 11);
            runtime.send_exit(&actor, ExitReason::Shutdown);
            runtime.run_until_idle();
        }
    });
    assert_eq!(
        texts(&lines, &["length"]),
        [11, 12, 11, 12].map(|n| format!("a mailbox is long length={n}"))
    );
}

#[test]
fn a_mailbox_alarm_needs_a_length() {
    let text = support::panic_of(|| Runtime::builder().mailbox_alarm(0));
    assert!(text.contains("a mailbox alarm needs a length"), "{text}");
}
