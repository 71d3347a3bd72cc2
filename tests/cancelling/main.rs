//! Every future of ours, dropped at every await point: nothing is lost, and nothing is left
//! behind. Case 24, R15, R36.
//!
//! A case awaits one future through a [`Cutter`], which drops it after so many polls; then it
//! sees to what must still be there. It is run with every number of polls until the future
//! comes to its end, in each way to be cut, under many seeds.

mod cutter;
mod ends;
#[cfg(unix)]
mod io;
mod stress;
#[path = "../support/mod.rs"]
mod support;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use cutter::{Cutter, Way, every_cut};
use futures::{FutureExt, StreamExt};
use support::{DropCounter, Token};
use uproar::prelude::*;
use uproar::{Handle, Runtime};

const SECOND: Duration = Duration::from_secs(1);

/// Sends these to the actor that calls, in turns with whoever else runs.
fn feed<M: Send + 'static>(messages: impl IntoIterator<Item = M, IntoIter: Send + 'static>) {
    let me = self_address::<Anything>();
    let messages = messages.into_iter();
    spawn(async move {
        for message in messages {
            me.send(message);
            yield_now().await;
        }
    });
}

/// All numbers that come, until there are so many.
async fn numbers(mut got: Vec<u32>, count: usize) -> Vec<u32> {
    while got.len() < count {
        let Typed(n) = receive::<Typed<u32>>().await;
        got.push(n);
    }
    got
}

/// Takes the text that is behind the numbers, and nothing else is there.
async fn only_text_is_left() {
    let Typed(text) = receive::<Typed<&str>>().await;
    assert_eq!(text, "text");
    assert!(try_receive::<Envelope>().is_none());
}

#[test]
fn a_receive() {
    every_cut(async |cutter| {
        send(self_pid(), "text");
        feed(1..4u32);
        let got = cutter.cut(receive::<Typed<u32>>).await;
        let got = numbers(got.map(|Typed(n)| n).into_iter().collect(), 3).await;
        assert_eq!(got, [1, 2, 3]);
        only_text_is_left().await;
    });
}

#[test]
fn a_receive_with_a_timeout() {
    every_cut(async |cutter| {
        send(self_pid(), "text");
        feed(1..4u32);
        let got = cutter.cut(|| receive::<Typed<u32>>().timeout(SECOND)).await;
        let got = got.map(|got| got.expect("no time has passed").0);
        assert_eq!(numbers(got.into_iter().collect(), 3).await, [1, 2, 3]);
        only_text_is_left().await;
    });
}

#[test]
fn a_receive_that_times_out() {
    every_cut(async |cutter| {
        send(self_pid(), "text");
        let got = cutter.cut(|| receive::<Typed<u32>>().timeout(SECOND)).await;
        assert!(matches!(got, None | Some(Err(Timeout))));
        only_text_is_left().await;
    });
}

#[test]
fn a_receive_by_predicate() {
    every_cut(async |cutter| {
        send(self_pid(), "text");
        feed(1..6u32);
        let got = cutter
            .cut(|| receive_if(|n: &u32| n.is_multiple_of(2)))
            .await;
        assert!(matches!(got, None | Some(2)));
        let rest: &[u32] = match got {
            None => &[1, 2, 3, 4, 5],
            Some(_) => &[1, 3, 4, 5],
        };
        assert_eq!(numbers(Vec::new(), rest.len()).await, rest);
        only_text_is_left().await;
    });
}

/// Matches, and says what it has taken.
#[actor]
async fn matcher(polls: usize, way: Way, runtime: Handle, done: Recipient<(bool, Vec<u32>)>) {
    let cutter = Cutter::new(runtime, way, polls);
    let got = cutter
        .cut(async || {
            #[receive(timeout = SECOND)]
            match receive().await {
                Typed::<u32>(n) if n % 2 == 0 => n,
                Typed::<u64>(n) => u32::try_from(n).unwrap(),
                Timeout => 0,
            }
        })
        .await;
    let got = numbers(got.into_iter().collect(), 3).await;
    done.send((cutter.has_cut.load(Ordering::Relaxed), got));
}

#[test]
fn a_receive_match() {
    every_cut(async |cutter| {
        let inbox = cutter.runtime.inbox();
        let matcher = spawn(matcher(
            cutter.polls,
            cutter.way,
            cutter.runtime.clone(),
            inbox.address(),
        ));
        let to = matcher.clone();
        spawn(async move {
            for n in 1..4u32 {
                to.send(n);
                yield_now().await;
            }
        });
        let (has_cut, got) = inbox.recv().await;
        if has_cut {
            cutter.has_cut.store(true, Ordering::Relaxed);
            assert_eq!(got, [1, 2, 3]);
        } else {
            assert_eq!(got, [2, 1, 3]);
        }
    });
}

struct Get(ReplyTo<Token>);

/// Answers after a while; who has not waited gets nothing, and the reply is dropped.
async fn server(tokens: DropCounter) {
    loop {
        let Typed(Get(reply_to)) = receive().await;
        yield_now().await;
        yield_now().await;
        reply_to.send(tokens.token());
    }
}

/// Asks a server, in a way, and once more when that is over.
async fn asks(cutter: &Cutter, mailbox: Mailbox, ask: impl AsyncFnOnce(&Address<Anything>)) {
    let tokens = DropCounter::new();
    let how = Spawn::new().mailbox(mailbox);
    let server: Address<Anything> = how.spawn(server(tokens.clone())).unwrap();
    ask(&server).await;
    assert!(server.ask(Get).await.is_ok(), "it still answers");
    kill(&server);
    while server.is_alive() || cutter.runtime.stats().live > 1 {
        yield_now().await;
    }
}

#[test]
fn an_ask() {
    every_cut(async |cutter| {
        asks(cutter, Mailbox::unbounded(), async |server| {
            let reply = cutter.cut(|| server.ask(Get)).await;
            assert!(reply.is_none_or(|reply| reply.is_ok()));
        })
        .await;
    });
}

#[test]
fn an_ask_with_a_timeout() {
    every_cut(async |cutter| {
        asks(cutter, Mailbox::unbounded(), async |server| {
            let reply = cutter.cut(|| server.ask(Get).timeout(SECOND)).await;
            assert!(reply.is_none_or(|reply| reply.is_ok()));
        })
        .await;
    });
}

#[test]
fn an_ask_that_times_out() {
    every_cut(async |cutter| {
        let mute = spawn(std::future::pending::<()>());
        let reply = cutter.cut(|| mute.ask(Get).timeout(SECOND)).await;
        assert!(matches!(reply, None | Some(Err(AskError::Timeout))));
        kill(&mute);
    });
}

// [R36] The request waits for room, and leaves the line when nobody waits for its reply.
#[test]
fn an_ask_of_a_full_mailbox() {
    every_cut(async |cutter| {
        asks(cutter, Mailbox::bounded(1), async |server| {
            let first = server.ask(Get);
            let second = cutter.cut(|| server.ask(Get).timeout(SECOND)).await;
            assert!(second.is_none_or(|reply| reply.is_ok()));
            assert!(first.await.is_ok());
        })
        .await;
    });
}

struct Add(u32);
struct Total(u32);

#[actor]
impl Total {
    #[receive]
    async fn add(&mut self, Add(n): Add) -> u32 {
        yield_now().await;
        self.0 += n;
        self.0
    }
}

// Once it is made it is sent.
#[test]
fn a_call() {
    every_cut(async |cutter| {
        let total = spawn(Total(0));
        let reply = cutter.cut(|| total.call(Add(1))).await;
        assert!(matches!(reply, None | Some(Ok(1))));
        assert_eq!(total.call(Add(2)).await, Ok(3));
        kill(&total);
    });
}

// A place that was promised to it goes to the next in line.
#[test]
fn a_deliver() {
    every_cut(async |cutter| {
        let tokens = DropCounter::new();
        let mailbox = Mailbox::bounded(1);
        let (start, end) = (cutter.runtime.inbox::<()>(), cutter.runtime.inbox());
        let (begun, done) = (start.address(), end.address());
        let reader: Address<Anything> = Spawn::new()
            .mailbox(mailbox)
            .spawn(async move {
                begun.send(());
                let mut got = Vec::new();
                while got.last() != Some(&9) {
                    yield_now().await;
                    let Typed((n, _token)) = receive::<Typed<(u32, Token)>>().await;
                    got.push(n);
                }
                done.send(got);
            })
            .unwrap();
        start.recv().await;
        reader.deliver((1u32, tokens.token())).await.unwrap();
        let next = reader.clone();
        let token = tokens.token();
        let delivered = cutter.cut(|| reader.deliver((2u32, tokens.token()))).await;
        spawn(async move { next.deliver((9u32, token)).await.unwrap() });
        let got = end.recv().await;
        match delivered {
            Some(result) => assert_eq!((result.is_ok(), got), (true, vec![1, 2, 9])),
            None => assert_eq!(got, [1, 9]),
        }
        while cutter.runtime.stats().live > 1 {
            yield_now().await;
        }
        assert_eq!(tokens.count(), 3, "each is dropped once");
    });
}

// It is cut while others wait behind it.
#[test]
fn a_deliver_with_others_behind_it() {
    every_cut(async |cutter| {
        let end = cutter.runtime.inbox();
        let done = end.address();
        let reader: Address<Anything> = Spawn::new()
            .mailbox(Mailbox::bounded(1))
            .spawn(async move {
                let mut got = Vec::new();
                let mut nines = 0;
                while nines < 2 {
                    yield_now().await;
                    let Typed(n) = receive::<Typed<u32>>().await;
                    nines += usize::from(n == 9);
                    got.push(n);
                }
                done.send(got);
            })
            .unwrap();
        reader.send(1u32);
        let (first, second) = (reader.clone(), reader.clone());
        let delivered = cutter
            .cut(|| {
                let deliver = reader.deliver(2u32);
                spawn(async move { first.deliver(9u32).await.unwrap() });
                spawn(async move { second.deliver(9u32).await.unwrap() });
                deliver
            })
            .await;
        let mut got = end.recv().await;
        assert_eq!(
            got.iter().filter(|n| **n == 2).count(),
            usize::from(delivered.is_some())
        );
        got.retain(|n| *n != 2);
        assert_eq!(got, [1, 9, 9]);
    });
}

#[test]
fn a_sleep() {
    every_cut(async |cutter| {
        let start = now();
        let slept = cutter.cut(|| sleep(SECOND)).await;
        assert!(slept.is_none() || now() - start == SECOND);
    });
}

#[test]
fn a_sleep_until() {
    every_cut(async |cutter| {
        let until = now() + SECOND;
        let slept = cutter.cut(|| sleep_until(until)).await;
        assert!(slept.is_none() || now() == until);
    });
}

#[test]
fn a_timeout_around_a_receive() {
    every_cut(async |cutter| {
        feed(1..4u32);
        let got = cutter
            .cut(|| timeout(SECOND, receive::<Typed<u32>>()))
            .await;
        let got = got.map(|got| got.expect("no time has passed").0);
        assert_eq!(numbers(got.into_iter().collect(), 3).await, [1, 2, 3]);
    });
}

#[test]
fn a_timeout_that_comes() {
    every_cut(async |cutter| {
        let tokens = DropCounter::new();
        let token = tokens.token();
        let never = async move {
            let _token = token;
            std::future::pending::<()>().await
        };
        let got = cutter.cut(|| timeout(SECOND, never)).await;
        assert!(got.is_none_or(|got| got.is_err()));
        assert_eq!(tokens.count(), 1);
    });
}

#[test]
fn an_interval() {
    every_cut(async |cutter| {
        cutter.cut(async || interval(SECOND).tick().await).await;
        cutter.cut(async || interval(SECOND).next().await).await;
    });
}

// The tick that was waited for comes with the next call: its deadline is the interval's.
#[test]
fn a_tick_of_an_interval() {
    let runtime = Runtime::builder().manual();
    runtime.block_on(async {
        let start = now();
        let mut ticks = interval(SECOND);
        for n in 1..10 {
            assert!(ticks.tick().now_or_never().is_none());
            assert!(ticks.next().now_or_never().is_none());
            assert_eq!(runtime.stats().timers, 1);
            assert_eq!(ticks.tick().await, start + n * SECOND);
        }
        drop(ticks);
        assert_eq!(runtime.stats().timers, 0);
    });
}

#[test]
fn a_yield() {
    every_cut(async |cutter| {
        feed(1..4u32);
        cutter.cut(yield_now).await;
        assert_eq!(numbers(Vec::new(), 3).await, [1, 2, 3]);
    });
}

#[test]
fn consumed_reductions() {
    every_cut(async |cutter| {
        feed(1..4u32);
        // Twice a slice's: it lets others go first.
        cutter
            .cut(async || {
                for _ in 0..4 {
                    consume_reductions(64).await;
                }
            })
            .await;
        assert_eq!(numbers(Vec::new(), 3).await, [1, 2, 3]);
    });
}

#[test]
fn an_inbox() {
    every_cut(async |cutter| {
        let inbox = cutter.runtime.inbox::<u32>();
        let to = inbox.address();
        spawn(async move {
            for n in 1..4 {
                yield_now().await;
                to.send(n);
            }
        });
        let mut got: Vec<u32> = cutter.cut(|| inbox.recv()).await.into_iter().collect();
        while got.len() < 3 {
            got.push(inbox.recv().await);
        }
        assert_eq!((got, inbox.try_recv()), (vec![1, 2, 3], None));
    });
}

// The wait of a stream is the stream's, and goes with it.
#[test]
fn an_inbox_as_a_stream() {
    every_cut(async |cutter| {
        let mut inbox = cutter.runtime.inbox::<u32>();
        let to = inbox.address();
        spawn(async move {
            yield_now().await;
            to.send(1);
        });
        let got = cutter.cut(async move || inbox.next().await).await;
        assert!(matches!(got, None | Some(Some(1))));
    });
}

// Another waiter of the same inbox gets what the one that was dropped did not take.
#[test]
fn an_inbox_that_two_wait_for() {
    every_cut(async |cutter| {
        let inbox = Arc::new(cutter.runtime.inbox::<u32>());
        let (to, other) = (inbox.address(), Arc::clone(&inbox));
        let done = cutter.runtime.inbox();
        let other_done = done.address();
        spawn(async move { other_done.send(other.recv().await) });
        spawn(async move {
            yield_now().await;
            to.send(1);
            yield_now().await;
            to.send(2);
        });
        let mut got: Vec<u32> = cutter.cut(|| inbox.recv()).await.into_iter().collect();
        if got.is_empty() {
            got.push(done.recv().await);
            got.push(inbox.recv().await);
        } else {
            got.push(done.recv().await);
        }
        got.sort_unstable();
        assert_eq!(got, [1, 2]);
    });
}
