//! Case 24: what is dropped in the middle of a receive, a `deliver` or an `ask` loses
//! nothing. Each is run on both drivers, fed by an actor; and for many rounds on threads, fed
//! by a plain thread. [R15]

#[macro_use]
mod support;

use std::pin::pin;
use std::thread;

use futures::future::{Either, select};
use futures::{FutureExt, select_biased};
use support::{DropCounter, Token, watchdog};
use uproar::prelude::*;
use uproar::{Receivable, Runtime};

const SHORT: Duration = Duration::from_micros(50);

/// Sends all messages to an actor, in order, at its own pace.
trait Feed {
    fn feed<M: Send + 'static>(
        &self,
        to: Address<Anything>,
        messages: impl Iterator<Item = M> + Send + 'static,
    );
}

/// An actor that pauses now and then, shorter or longer than the receiver waits.
struct ByActor;

impl Feed for ByActor {
    fn feed<M: Send + 'static>(
        &self,
        to: Address<Anything>,
        messages: impl Iterator<Item = M> + Send + 'static,
    ) {
        spawn(async move {
            for (n, message) in messages.enumerate() {
                to.send(message);
                match n % 4 {
                    0 => sleep(Duration::from_micros(n as u64 * 37 % 101)).await,
                    1 => yield_now().await,
                    _ => {}
                }
            }
        });
    }
}

struct ByThread;

impl Feed for ByThread {
    fn feed<M: Send + 'static>(
        &self,
        to: Address<Anything>,
        messages: impl Iterator<Item = M> + Send + 'static,
    ) {
        thread::spawn(move || {
            for (n, message) in messages.enumerate() {
                to.send(message);
                if n.is_multiple_of(64) {
                    thread::yield_now();
                }
            }
        });
    }
}

/// What comes first, within a moment; which of the two is looked at first is the turn's.
async fn first<F: Future>(turn: u64, wait: F) -> Option<F::Output> {
    let mut wait = pin!(wait.fuse());
    let mut limit = pin!(sleep(SHORT).fuse());
    if turn.is_multiple_of(2) {
        select_biased! {
            output = wait => Some(output),
            () = limit => None,
        }
    } else {
        select_biased! {
            () = limit => None,
            output = wait => Some(output),
        }
    }
}

/// Nothing of this type is there.
fn nothing<T: Receivable>() -> bool {
    try_receive::<T>().is_none()
}

async fn a_receive(feed: impl Feed, count: u64) {
    feed.feed(self_address(), 1..=count);
    let (mut next, mut turn) = (1, 0);
    while next <= count {
        turn += 1;
        if let Some(Typed(n)) = first(turn, receive::<Typed<u64>>()).await {
            assert_eq!(n, next);
            next += 1;
        }
    }
    assert!(nothing::<Envelope>());
}

// Those that are not wanted stay, in order; and so do those of another type.
async fn a_selective_receive(feed: impl Feed, count: u64) {
    let me = self_address::<Anything>();
    let others = async move {
        for n in (8..=count).step_by(8) {
            me.send(n as u32);
            yield_now().await;
        }
    };
    spawn(others);
    feed.feed(self_address(), 1..=count);
    let mut turn = 0;
    let (mut wanted, mut left): (u64, u64) = (3, 1);
    while left <= count {
        // In blocks, since each receive tests all of its type that are left.
        let block = (left + 299).min(count);
        while wanted <= block {
            turn += 1;
            if let Some(n) = first(turn, receive_if(|n: &u64| n.is_multiple_of(3))).await {
                assert_eq!(n, wanted);
                wanted += 3;
            }
        }
        for n in (left..=block).filter(|n| !n.is_multiple_of(3)) {
            assert_eq!(receive::<Typed<u64>>().await.0, n);
        }
        left = block + 1;
    }
    for n in (8..=count).step_by(8) {
        assert_eq!(u64::from(receive::<Typed<u32>>().await.0), n);
    }
    assert!(nothing::<Envelope>());
}

async fn two_receives_in_one_select(feed: impl Feed, count: u64) {
    feed.feed(self_address(), 0..count);
    let (mut next, mut turn) = (0, 0);
    while next < count {
        turn += 1;
        let even = pin!(receive_if(|n: &u64| n.is_multiple_of(2)));
        let odd = pin!(receive_if(|n: &u64| n % 2 == 1));
        let Some(either) = first(turn, select(even, odd)).await else {
            continue;
        };
        let n = either.factor_first().0;
        // The one may be ahead of the other, by a message that the other has not looked
        // for.
        if n == next {
            next += 1;
        } else {
            assert_eq!(n, next + 1);
            assert_eq!(receive_if(|n: &u64| n % 2 == next % 2).await, next);
            next += 2;
        }
    }
    assert!(nothing::<Envelope>());
}

// A `deliver` that is dropped has delivered its message or dropped it, never half; and one
// that was waited for is received once, in order.
async fn a_dropped_deliver(count: u64) {
    let drops = DropCounter::new();
    let me = self_address::<Anything>();
    let small = Spawn::new().mailbox(Mailbox::bounded(2));
    let reader: Address<Anything> = small
        .spawn(async move {
            let mut turn = 0;
            loop {
                turn += 1;
                let received = first(turn, receive::<Typed<(u64, Token)>>()).await;
                let Some(Typed((n, _token))) = received else {
                    continue;
                };
                me.send(n);
                if n == count {
                    break;
                }
                if n.is_multiple_of(3) {
                    sleep(Duration::from_micros(n * 37 % 101)).await;
                }
            }
        })
        .unwrap();
    let mut delivered = Vec::new();
    for n in 1..count {
        let deliver = reader.deliver((n, drops.token()));
        if let Some(done) = first(n, deliver).await {
            assert!(done.is_ok());
            delivered.push(n);
        }
    }
    assert!(reader.deliver((count, drops.token())).await.is_ok());
    delivered.push(count);
    let mut received = Vec::new();
    while received.last() != Some(&count) {
        let Typed(n) = receive::<Typed<u64>>().await;
        received.push(n);
    }
    assert!(received == delivered, "{received:?}, {delivered:?}");
    assert_eq!(drops.count() as u64, count, "each is dropped once");
}

// An `ask` that is dropped just as the reply comes: the reply is dropped, and satisfies no
// later one.
async fn a_dropped_ask(count: u64) {
    struct Request(u64, ReplyTo<(u64, Token)>);

    let drops = DropCounter::new();
    let tokens = drops.clone();
    let server: Address<Anything> = spawn(async move {
        loop {
            let Typed(Request(n, reply_to)) = receive().await;
            if n.is_multiple_of(3) {
                sleep(Duration::from_micros(n * 37 % 101)).await;
            }
            reply_to.send((n, tokens.token()));
        }
    });
    for n in 1..=count {
        let ask = server.ask(|reply_to| Request(n, reply_to));
        match first(n, ask).await {
            Some(Ok((reply, _token))) => assert_eq!(reply, n),
            Some(Err(error)) => panic!("{error}"),
            None => {}
        }
    }
    let (last, token) = server.ask(|reply_to| Request(0, reply_to)).await.unwrap();
    drop(token);
    assert_eq!(last, 0);
    assert_eq!(drops.count() as u64, count + 1, "each is dropped once");
    assert!(nothing::<Envelope>(), "a reply is no message");
    kill(&server);
}

// Links and monitors fire meanwhile: each `Down` and each `Exit` comes once, although the
// receives that wait for them are dropped all the time.
async fn ends_of_others(feed: impl Feed, count: u64) {
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    struct Told {
        down: u32,
        exit: u32,
    }

    trap_exit(true);
    let children = count / 8;
    let mut told = vec![Told::default(); children as usize];
    let mut pids = Vec::new();
    let mut monitors = Vec::new();
    feed.feed(self_address(), 1..=count);
    let (mut next, mut turn) = (1, 0);
    let all = Told { down: 1, exit: 1 };
    while next <= count || told.iter().any(|told| *told != all) {
        turn += 1;
        if (pids.len() as u64) < children {
            let n = pids.len() as u64;
            let (child, monitor) = Spawn::new()
                .link()
                .spawn_monitor(async move {
                    sleep(Duration::from_micros(n * 37 % 101)).await;
                    Err::<(), _>(n.to_string())
                })
                .unwrap();
            if n.is_multiple_of(4) {
                kill(&child);
            }
            let child: Address<Anything> = child;
            pids.push(child.pid());
            monitors.push(monitor);
        }
        let numbers = receive::<Typed<u64>>();
        let downs = receive::<Down>();
        let exits = receive::<Exit>();
        let ends = select(downs, exits);
        match first(turn, select(numbers, ends)).await {
            None => {}
            Some(Either::Left((Typed(n), _))) => {
                assert_eq!(n, next);
                next += 1;
            }
            Some(Either::Right((Either::Left((down, _)), _))) => {
                let at = pids.iter().position(|pid| *pid == down.pid).unwrap();
                assert_eq!(down.monitor, monitors[at]);
                assert_eq!(down.reason, reason_of(at));
                told[at].down += 1;
            }
            Some(Either::Right((Either::Right((exit, _)), _))) => {
                let at = pids.iter().position(|pid| *pid == exit.from).unwrap();
                assert_eq!(exit.reason, reason_of(at));
                told[at].exit += 1;
            }
        }
    }
    assert!(told.iter().all(|told| *told == all), "{told:?}");
    assert!(nothing::<Envelope>());

    fn reason_of(at: usize) -> ExitReason {
        if at.is_multiple_of(4) {
            ExitReason::Killed
        } else {
            ExitReason::error(at.to_string())
        }
    }
}

// A receive that was woken by a message and dropped before it was polled: the next one takes
// the message, also one of another future of this actor.
async fn a_receive_that_was_woken(feed: impl Feed, count: u64) {
    feed.feed(self_address(), 1..=count);
    let mut next = 1;
    while next <= count {
        let mut woken = pin!(receive::<Typed<u64>>());
        if let Some(Typed(n)) = (&mut woken).now_or_never() {
            assert_eq!(n, next);
            next += 1;
            continue;
        }
        // It is woken with the whole actor, and not polled again.
        let Typed(n) = receive::<Typed<u64>>().await;
        assert_eq!(n, next);
        next += 1;
    }
    assert!(nothing::<Envelope>());
}

const FEW: u64 = 100;

both! {
    async fn receive_beside_a_timer() {
        a_receive(ByActor, FEW).await;
    }

    async fn selective_receive_beside_a_timer() {
        a_selective_receive(ByActor, FEW).await;
    }

    async fn two_receives_beside_a_timer() {
        two_receives_in_one_select(ByActor, FEW).await;
    }

    async fn deliver_beside_a_timer() {
        a_dropped_deliver(FEW).await;
    }

    async fn ask_beside_a_timer() {
        a_dropped_ask(FEW).await;
    }

    async fn downs_and_exits_beside_a_timer() {
        ends_of_others(ByActor, FEW).await;
    }

    async fn a_woken_receive_is_dropped() {
        a_receive_that_was_woken(ByActor, FEW).await;
    }
}

const MANY: u64 = if cfg!(debug_assertions) {
    20_000
} else {
    100_000
};

/// Runs it on threads, with timers that are as fine as the waits are short.
fn on_threads<F: Future<Output = ()> + 'static>(test: F) {
    let _watchdog = watchdog(300);
    let runtime = Runtime::builder().workers(2).timer_resolution(SHORT);
    assert_eq!(runtime.run(test), ExitReason::Normal);
}

#[test]
fn many_receives() {
    on_threads(a_receive(ByThread, MANY));
}

#[test]
fn many_selective_receives() {
    on_threads(a_selective_receive(ByThread, MANY));
}

#[test]
fn many_receives_by_two() {
    on_threads(two_receives_in_one_select(ByThread, MANY));
}

#[test]
fn many_delivers() {
    on_threads(a_dropped_deliver(MANY / 10));
}

#[test]
fn many_asks() {
    on_threads(a_dropped_ask(MANY / 10));
}

#[test]
fn many_downs_and_exits() {
    on_threads(ends_of_others(ByThread, MANY / 10));
}

#[test]
fn many_woken_receives() {
    on_threads(a_receive_that_was_woken(ByThread, MANY));
}
