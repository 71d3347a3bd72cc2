use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt;

use crate::prelude::*;
use crate::{Handle, Runtime};

/// Runs an actor that tells itself 1, is told to end, and tells itself 2. What it has
/// received after that.
fn received_after_the_end<F>(mailbox: Mailbox, receive: fn(Handle, Log) -> F) -> Vec<u32>
where
    F: Future<Output = ()> + Send + 'static,
{
    let runtime = Runtime::builder().manual();
    let log = Log::default();
    let actor = receive(runtime.handle(), log.clone());
    let spawn = Spawn::new().mailbox(mailbox);
    runtime.spawn_with(&spawn, actor).expect("it runs");
    runtime.run_until_idle();
    let log = log.lock().unwrap();
    log.clone()
}

type Log = Arc<Mutex<Vec<u32>>>;

fn told_to_end(runtime: &Handle) {
    send(self_pid(), 1u32);
    runtime.shutdown(Duration::from_secs(10));
    send(self_pid(), 2u32);
}

fn mailboxes() -> [Mailbox; 3] {
    let bounded = Mailbox::bounded(10);
    [Mailbox::unbounded(), bounded, bounded.drop_oldest()]
}

// [R27] the exit is decided by the drain that finds it, in the middle of a slice.
#[test]
fn a_receive_that_finds_the_exit_takes_nothing() {
    for mailbox in mailboxes() {
        let received = received_after_the_end(mailbox, |runtime, log| async move {
            told_to_end(&runtime);
            loop {
                let Typed(n) = receive::<Typed<u32>>().await;
                log.lock().unwrap().push(n);
            }
        });
        assert_eq!(received, [], "{mailbox:?}");
    }
}

#[test]
fn nor_does_one_that_starts_after_that() {
    for mailbox in mailboxes() {
        let received = received_after_the_end(mailbox, |runtime, log| async move {
            told_to_end(&runtime);
            for _ in 0..3 {
                if let Some(Typed(n)) = try_receive::<Typed<u32>>() {
                    log.lock().unwrap().push(n);
                }
            }
            for wanted in [2, 1] {
                let limit = receive::<Typed<u32>>().timeout(Duration::ZERO).await;
                log.lock().unwrap().push(limit.map_or(wanted, |Typed(n)| n));
            }
        });
        assert_eq!(received, [], "{mailbox:?}");
    }
}

// Saved messages are no exception.
#[test]
fn nor_does_one_that_would_find_a_saved_message() {
    for mailbox in mailboxes() {
        let received = received_after_the_end(mailbox, |runtime, log| async move {
            send(self_pid(), 7u32);
            let _ = receive_if(|text: &&str| text.is_empty()).now_or_never();
            told_to_end(&runtime);
            let _ = receive_if(|text: &&str| text.is_empty()).now_or_never();
            let Typed(n) = receive::<Typed<u32>>().await;
            log.lock().unwrap().push(n);
        });
        assert_eq!(received, [], "{mailbox:?}");
    }
}
