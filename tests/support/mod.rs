//! What the test files share: a watchdog, counters of drops and polls, and a way to
//! run one test on both drivers.

// Each test file uses a part of it.
#![allow(dead_code, unused_macros)]

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use uproar::prelude::*;

/// Turns each `async fn` into two tests: `threads::name`, on real workers, and
/// `seeds::name`, on the manual runtime with 200 seeds.
macro_rules! both {
    ($($(#[$attr:meta])* async fn $name:ident() { $($body:tt)* })*) => {
        mod threads {
            #[allow(unused_imports)]
            use super::*;
            $(
                $(#[$attr])*
                #[uproar::test]
                async fn $name() {
                    let _watchdog = crate::support::watchdog(120);
                    $($body)*
                }
            )*
        }

        mod seeds {
            #[allow(unused_imports)]
            use super::*;
            $(
                $(#[$attr])*
                #[uproar::test(seeds = 200)]
                async fn $name() {
                    let _watchdog = crate::support::watchdog(120);
                    $($body)*
                }
            )*
        }
    };
}

/// Ends the test process, naming the test, unless the guard is dropped in time: a
/// hang is a failure, not a slow test.
#[must_use]
pub fn watchdog(seconds: u64) -> Watchdog {
    let test = thread::current().name().unwrap_or("?").to_owned();
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let dogs = dogs();
    let mut waiting = dogs.waiting.lock().unwrap();
    waiting.last += 1;
    let number = waiting.last;
    waiting.deadlines.insert((deadline, number), test);
    dogs.changed.notify_one();
    Watchdog(deadline, number)
}

pub struct Watchdog(Instant, u64);

impl Drop for Watchdog {
    fn drop(&mut self) {
        let mut waiting = dogs().waiting.lock().unwrap();
        waiting.deadlines.remove(&(self.0, self.1));
    }
}

#[derive(Default)]
struct Dogs {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    last: u64,
    deadlines: BTreeMap<(Instant, u64), String>,
}

/// All watchdogs of the process, and their one thread.
fn dogs() -> &'static Dogs {
    static DOGS: OnceLock<&'static Dogs> = OnceLock::new();
    DOGS.get_or_init(|| {
        let dogs: &'static Dogs = Box::leak(Box::default());
        thread::spawn(|| {
            let mut waiting = dogs.waiting.lock().unwrap();
            loop {
                let now = Instant::now();
                let first = waiting.deadlines.first_key_value();
                let pause = match first {
                    Some((&(deadline, _), test)) if deadline <= now => {
                        eprintln!("watchdog: `{test}` hangs");
                        std::process::abort();
                    }
                    Some((&(deadline, _), _)) => deadline - now,
                    None => Duration::from_secs(3600),
                };
                waiting = dogs.changed.wait_timeout(waiting, pause).unwrap().0;
            }
        });
        dogs
    })
}

/// Counts the drops of its tokens.
#[derive(Clone, Default)]
pub struct DropCounter(Arc<AtomicUsize>);

impl DropCounter {
    pub fn new() -> DropCounter {
        DropCounter::default()
    }

    pub fn token(&self) -> Token {
        Token(Arc::clone(&self.0))
    }

    pub fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    /// Blocks a plain thread until so many are dropped. The watchdog ends it.
    pub fn wait_for(&self, count: usize) {
        while self.count() < count {
            thread::yield_now();
        }
    }
}

/// A value whose drop is counted.
pub struct Token(Arc<AtomicUsize>);

impl Clone for Token {
    fn clone(&self) -> Token {
        Token(Arc::clone(&self.0))
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Runs a closure when it is dropped.
pub struct OnDrop<F: FnMut()>(pub F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Counts the polls of a future.
pub struct Polled<F> {
    future: Pin<Box<F>>,
    polls: Arc<AtomicUsize>,
}

/// The future, and the count of its polls so far.
pub fn polled<F: Future>(future: F) -> (Polled<F>, Arc<AtomicUsize>) {
    let polls = Arc::new(AtomicUsize::new(0));
    let counted = Polled {
        future: Box::pin(future),
        polls: Arc::clone(&polls),
    };
    (counted, polls)
}

impl<F: Future> Future for Polled<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        self.polls.fetch_add(1, Ordering::SeqCst);
        self.future.as_mut().poll(cx)
    }
}

/// The message of [`end_of`].
pub struct Watch(pub ReplyTo<()>);

/// Why an actor will end, told by a request that it leaves unread in its mailbox.
/// `NoProcess` if it is dead already.
pub fn end_of<P: Receives<Watch>>(
    address: &Address<P>,
) -> impl Future<Output = ExitReason> + use<P> {
    let ask = address.ask(Watch);
    async move {
        match ask.await {
            Err(AskError::Gone(reason)) => reason,
            other => panic!("the request was to be left unread: {other:?}"),
        }
    }
}

/// An executor of the smallest kind, to show that a future needs none of ours.
pub fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

/// The text of a panic's payload.
pub fn panic_text(payload: &(dyn std::any::Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("(no text)")
}

/// The message of the panic that `code` raises.
pub fn panic_of<R>(code: impl FnOnce() -> R) -> String {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(code)) {
        Ok(_) => panic!("no panic"),
        Err(payload) => panic_text(&*payload).to_owned(),
    }
}

/// Threads of this OS process.
pub fn os_threads() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

/// Ends an actor that runs [`until_stop`].
pub struct Stop;

/// An actor that waits in a receive until it gets [`Stop`].
pub async fn until_stop() {
    let Typed(Stop) = receive().await;
}

/// The reason in the `Down` of this monitor.
pub async fn down_of(monitor: MonitorRef) -> ExitReason {
    receive_if(move |down: &Down| down.monitor == monitor)
        .await
        .reason
}

/// Waits for the end of an actor: with its reason, or `NoProcess` if it has ended before.
pub async fn gone(actor: impl Into<Pid>) -> ExitReason {
    down_of(monitor(actor.into())).await
}

/// What is queued of this type; nothing that comes later.
pub fn queued<T: uproar::Receivable>() -> Vec<T> {
    std::iter::from_fn(try_receive).collect()
}

/// Who sent each exit signal that is queued as a message, and its reason.
pub fn exits() -> Vec<(Pid, ExitReason)> {
    let exits = queued::<Exit>().into_iter();
    exits.map(|exit| (exit.from, exit.reason)).collect()
}

/// The monitor and the reason of each `Down` that is queued.
pub fn downs() -> Vec<(MonitorRef, ExitReason)> {
    let downs = queued::<Down>().into_iter();
    downs.map(|down| (down.monitor, down.reason)).collect()
}

/// An actor that has ended.
pub async fn dead() -> Pid {
    let (actor, monitor) = spawn_monitor(async {});
    assert_eq!(down_of(monitor).await, ExitReason::Normal);
    actor.pid()
}

/// Ends an actor that runs [`until_told`] with a reason.
pub struct EndWith(pub ExitReason);

/// An actor that ends as it is told to.
pub async fn until_told() -> ExitReason {
    let Typed(EndWith(reason)) = receive().await;
    reason
}

/// Lets the other actors run for a while.
pub async fn some_slices() {
    for _ in 0..20 {
        yield_now().await;
    }
}
