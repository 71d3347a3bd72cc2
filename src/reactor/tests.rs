use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use super::{Clock, Due, Duty, Job, Key, Plan, Reactor};
use crate::scheduler::Rng;

/// Notes the numbers of the deadlines that fire, in order.
struct Note {
    number: u64,
    log: Arc<Mutex<Vec<u64>>>,
}

impl Wake for Note {
    fn wake(self: Arc<Self>) {
        self.log.lock().unwrap().push(self.number);
    }
}

fn reactor(clock: Clock) -> Reactor {
    Reactor::new(Plan {
        runtime: 0,
        clock,
        workers: 2,
        resolution: Duration::from_millis(1),
    })
}

fn start(reactor: &Reactor, at: Instant, waker: Waker) -> Key {
    let due = Due::Foreign(Box::new(waker));
    let key = reactor.start(Some(at), reactor.clock.now(), due);
    key.unwrap_or_else(|_| panic!("the reactor has not ended"))
}

struct Bench {
    reactor: Reactor,
    start: Instant,
    log: Arc<Mutex<Vec<u64>>>,
    rng: Rng,
}

impl Bench {
    fn new(seed: u64) -> Bench {
        let reactor = reactor(Clock::new_virtual());
        Bench {
            start: reactor.clock.now(),
            reactor,
            log: Arc::default(),
            rng: Rng::new(seed),
        }
    }

    fn waker(&self, number: u64) -> Waker {
        let log = self.log.clone();
        Waker::from(Arc::new(Note { number, log }))
    }

    fn at(&self, millis: u64) -> Instant {
        self.start + Duration::from_millis(millis)
    }

    /// Starts a deadline that notes its own number of milliseconds.
    fn start(&self, millis: u64) -> Key {
        start(&self.reactor, self.at(millis), self.waker(millis))
    }

    /// Moves to a time and fires; what has fired, in order.
    fn fire_at(&mut self, millis: u64) -> Vec<u64> {
        self.reactor.clock.advance_to(self.at(millis));
        self.reactor.fire(&mut self.rng);
        std::mem::take(&mut *self.log.lock().unwrap())
    }
}

#[test]
fn deadlines_fire_once_in_time_and_not_before() {
    let mut bench = Bench::new(0);
    for millis in [30, 10, 20] {
        bench.start(millis);
    }
    assert_eq!(bench.reactor.pending(), 3);
    assert_eq!(bench.reactor.next(), Some(bench.at(10)));
    assert_eq!(bench.fire_at(9), []);
    assert_eq!(bench.fire_at(10), [10]);
    assert_eq!(bench.fire_at(10), []);
    assert_eq!(bench.fire_at(29), [20]);
    assert_eq!(bench.reactor.next(), Some(bench.at(30)));
    assert_eq!(bench.fire_at(1000), [30]);
    assert_eq!(bench.reactor.pending(), 0);
    assert_eq!(bench.reactor.next(), None);
}

#[test]
fn a_cancelled_deadline_does_not_fire_and_leaves_nothing() {
    let mut bench = Bench::new(0);
    let first = bench.start(10);
    bench.start(20);
    assert!(bench.reactor.cancel(first).is_some());
    assert!(bench.reactor.cancel(first).is_none());
    assert_eq!(bench.reactor.pending(), 1);
    assert_eq!(bench.fire_at(50), [20]);
    assert_eq!(Arc::strong_count(&bench.log), 1, "no waker is kept");
}

#[test]
fn a_deadline_wakes_whom_it_was_told_last() {
    let mut bench = Bench::new(0);
    let key = bench.start(10);
    let [second, third] = [77, 78].map(|n| Due::Foreign(Box::new(bench.waker(n))));
    assert!(bench.reactor.redirect(key, second));
    assert_eq!(bench.fire_at(10), [77]);
    assert!(!bench.reactor.redirect(key, third), "it has fired");
    assert_eq!(bench.fire_at(20), []);
}

#[test]
fn equal_deadlines_fire_in_an_order_that_the_seed_decides() {
    let order = |seed| {
        let mut bench = Bench::new(seed);
        for number in 0..20 {
            start(&bench.reactor, bench.at(5), bench.waker(number));
        }
        bench.fire_at(5)
    };
    assert_eq!(order(1), order(1));
    assert_ne!(order(1), order(2));
    let mut all = order(3);
    all.sort_unstable();
    assert_eq!(all, (0..20).collect::<Vec<_>>());
}

#[test]
fn centuries_pass_in_virtual_time() {
    let mut bench = Bench::new(0);
    let year = 365 * 86_400_000;
    bench.start(500 * year);
    bench.start(100 * year);
    assert_eq!(bench.fire_at(99 * year), []);
    assert_eq!(bench.fire_at(100 * year), [100 * year]);
    assert_eq!(bench.fire_at(501 * year), [500 * year]);
}

#[test]
fn a_nearer_deadline_wakes_the_thread() {
    let reactor = Arc::new(reactor(Clock::Real));
    let duties = Arc::new(AtomicUsize::new(0));
    let running = {
        let (reactor, duties) = (reactor.clone(), duties.clone());
        thread::spawn(move || {
            let duty = || {
                duties.fetch_add(1, Ordering::SeqCst);
                Duty { until: None }
            };
            reactor.run(duty, |jobs| {
                jobs.into_iter().for_each(|job: Job| job.run(&reactor))
            });
        })
    };
    let (fired, fires) = mpsc::channel();
    struct Tell(Mutex<mpsc::Sender<Instant>>);
    impl Wake for Tell {
        fn wake(self: Arc<Self>) {
            self.0.lock().unwrap().send(Instant::now()).unwrap();
        }
    }
    let waker = Waker::from(Arc::new(Tell(Mutex::new(fired))));
    let now = Instant::now();
    let far = start(&reactor, now + Duration::from_secs(3600), waker.clone());
    thread::sleep(Duration::from_millis(20));
    let near = Instant::now() + Duration::from_millis(5);
    start(&reactor, near, waker);
    let at = fires.recv_timeout(Duration::from_secs(60)).expect("[R42]");
    assert!(at >= near, "never early");
    assert!(reactor.cancel(far).is_some());
    assert_eq!(reactor.pending(), 0);

    let before = duties.load(Ordering::SeqCst);
    reactor.poke();
    while duties.load(Ordering::SeqCst) == before {
        thread::yield_now();
    }
    let pending = start(
        &reactor,
        now + Duration::from_secs(60),
        Waker::noop().clone(),
    );
    assert_eq!(reactor.stop().len(), 1);
    running.join().unwrap();
    assert!(reactor.cancel(pending).is_none());
    let late = Due::Foreign(Box::new(Waker::noop().clone()));
    assert!(reactor.start(Some(now), now, late).is_err());
}
