//! Receiving outside of actors.

mod support;

use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use futures::future::{Either, FutureExt, select};
use futures::stream::StreamExt;
use support::{DropCounter, Token, block_on, end_of};
use uproar::prelude::*;
use uproar::{Inbox, Runtime};

const MINUTE: Duration = Duration::from_secs(60);

struct Counted(#[expect(dead_code)] Token);

// [R2] in the order sent, by each way of receiving.
#[test]
fn an_inbox_receives_in_order() {
    let _watchdog = support::watchdog(60);
    let runtime = Runtime::builder().workers(1).start().unwrap();
    let mut inbox = runtime.inbox::<u32>();
    let to = inbox.address();
    assert_eq!(inbox.try_recv(), None);
    assert_eq!(inbox.recv_timeout(Duration::ZERO), Err(Timeout));
    for n in 0..4 {
        to.send(n);
    }
    assert_eq!(inbox.try_recv(), Some(0));
    assert_eq!(inbox.recv_timeout(Duration::ZERO), Ok(1));
    assert_eq!(block_on(inbox.recv()), 2);
    assert_eq!(block_on(inbox.next()), Some(3));
    assert_eq!(inbox.try_recv(), None);
    assert_eq!(inbox.address().pid(), to.pid());
    assert!(!runtime.processes().contains(&to.pid()));
    assert_eq!(runtime.stats().live, 0, "it is no actor");
}

// [R15] a dropped receive loses nothing.
#[test]
fn a_dropped_recv_loses_nothing() {
    let _watchdog = support::watchdog(60);
    let runtime = Runtime::builder().manual();
    let inbox = runtime.inbox::<u32>();
    for n in 0..100 {
        assert!(inbox.recv().now_or_never().is_none());
        inbox.address().send(n);
        drop(inbox.recv());
        if n % 2 == 0 {
            assert_eq!(inbox.recv().now_or_never(), Some(n));
        } else {
            assert_eq!(inbox.try_recv(), Some(n));
        }
    }
}

// [R3] a message of another type is a dead letter; it ends nothing.
#[test]
fn a_message_of_another_type_is_a_dead_letter() {
    let runtime = Runtime::builder().manual();
    let inbox = runtime.inbox::<u32>();
    let drops = DropCounter::new();
    runtime.send(inbox.address().pid(), Counted(drops.token()));
    inbox.address().send(1);
    assert_eq!(inbox.try_recv(), Some(1));
    assert_eq!(drops.count(), 1);
    assert_eq!(runtime.stats().dead_letters, 1);
}

// [R6] [R35] what is queued when it is dropped is dropped once, and requests fail.
#[test]
fn a_dropped_inbox_drops_its_messages() {
    let _watchdog = support::watchdog(60);
    let runtime = Runtime::builder().workers(1).start().unwrap();
    let drops = DropCounter::new();
    let inbox: Inbox<Counted> = runtime.inbox();
    let requests: Inbox<ReplyTo<()>> = runtime.inbox();
    let (to, asked) = (inbox.address(), requests.address());
    for _ in 0..10 {
        to.send(Counted(drops.token()));
    }
    let ask = asked.ask(|reply_to: ReplyTo<()>| reply_to);
    drop(inbox.try_recv());
    assert_eq!(drops.count(), 1);
    drop(inbox);
    drop(requests);
    assert_eq!(drops.count(), 10);
    assert_eq!(ask.wait(), Err(AskError::Gone(ExitReason::NoProcess)));
    assert!(!to.is_alive());
    to.send(Counted(drops.token()));
    assert_eq!(drops.count(), 11);
    assert!(runtime.processes().is_empty());
}

// [R63] within an actor it is one more future to wait for.
#[test]
fn an_actor_awaits_an_inbox() {
    let _watchdog = support::watchdog(60);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let inbox = runtime.inbox::<u32>();
    let to = inbox.address();
    let actor = runtime.spawn(async move {
        let (mut from_inbox, mut from_mailbox) = (0, 0);
        while from_inbox + from_mailbox < 1000 {
            let inbox = pin!(inbox.recv());
            let mailbox = pin!(receive::<Typed<u32>>());
            match select(inbox, mailbox).await {
                Either::Left((n, _)) => {
                    assert_eq!(n, from_inbox);
                    from_inbox += 1;
                }
                Either::Right((Typed(n), _)) => {
                    assert_eq!(n, from_mailbox);
                    from_mailbox += 1;
                }
            }
        }
        assert_eq!((from_inbox, from_mailbox), (500, 500));
    });
    let end = end_of(&actor);
    for n in 0..500 {
        to.send(n);
        actor.send(n);
    }
    assert_eq!(block_on(end), ExitReason::Normal);
}

// [R51] several threads that receive from one inbox: none sleeps through a message.
#[test]
fn many_receivers_of_one_inbox() {
    let _watchdog = support::watchdog(300);
    const MESSAGES: usize = if cfg!(debug_assertions) {
        20_000
    } else {
        200_000
    };
    const RECEIVERS: usize = 3;
    let runtime = Runtime::builder().workers(1).start().unwrap();
    let inbox = runtime.inbox::<Option<usize>>();
    let to = inbox.address();
    let (sum, count) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..RECEIVERS {
            scope.spawn(|| {
                while let Some(n) = inbox.recv_timeout(MINUTE).expect("a message is missing") {
                    sum.fetch_add(n, Ordering::SeqCst);
                    count.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        for n in 0..MESSAGES {
            // A few at a time, so that receivers wait.
            while count.load(Ordering::SeqCst) + RECEIVERS < n {
                thread::yield_now();
            }
            to.send(Some(n));
        }
        for _ in 0..RECEIVERS {
            to.send(None);
        }
    });
    assert_eq!(count.into_inner(), MESSAGES);
    assert_eq!(sum.into_inner(), (0..MESSAGES).sum());
}

// [R57] What actors send to the last arrives, and then the stream ends.
#[test]
fn what_has_arrived_outlives_the_runtime_and_then_the_stream_ends() {
    let _watchdog = support::watchdog(60);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let mut inbox = runtime.inbox::<u32>();
    let to = inbox.address();
    let (began, begins) = std::sync::mpsc::channel();
    runtime.spawn(async move {
        struct Last(uproar::Recipient<u32>);
        impl Drop for Last {
            fn drop(&mut self) {
                self.0.send(2);
            }
        }
        to.send(1);
        let _last = Last(to);
        began.send(()).unwrap();
        let _: Envelope = receive().await;
    });
    begins.recv().unwrap();
    let waiting = thread::spawn(move || {
        let mut all = Vec::new();
        while let Some(n) = async_io::block_on(futures::StreamExt::next(&mut inbox)) {
            all.push(n);
        }
        (all, inbox.address().try_send(3), inbox.try_recv())
    });
    let report = runtime.shutdown(Duration::from_secs(10));
    assert!(report.ended);
    let (all, refused, none) = waiting.join().unwrap();
    assert_eq!(all, [1, 2]);
    assert!(matches!(refused, Err(SendError::Gone(3))));
    assert_eq!(none, None);
}
