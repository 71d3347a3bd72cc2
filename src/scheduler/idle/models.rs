//! Sleeping and waking in every order of its steps. [W1] [W2]
//!
//! The workers here go to sleep as `Scheduler::search_or_park` does, and whoever makes
//! work does as `woken_elsewhere`; the queue is as weakly ordered as a queue can be, so
//! what holds holds by the protocol.

use std::sync::Arc;

use loom::sync::atomic::AtomicUsize;
use loom::thread;

use super::{Idle, Parker, Unpark};
use crate::sync::{AtomicBool, AtomicU32, Ordering, explore};

/// Workers with one queue between them.
struct Team {
    idle: Idle,
    parkers: Vec<Parker>,
    queue: AtomicU32,
    left: AtomicU32,
    stopped: AtomicBool,
    wakes: AtomicUsize,
}

impl Team {
    /// A team that stops when it has run `work` pieces.
    fn new(workers: usize, work: u32) -> Arc<Team> {
        Arc::new(Team {
            idle: Idle::new(workers),
            parkers: (0..workers).map(|_| Parker::new()).collect(),
            queue: AtomicU32::new(0),
            left: AtomicU32::new(work),
            stopped: AtomicBool::new(false),
            wakes: AtomicUsize::new(0),
        })
    }

    fn has_work(&self) -> bool {
        self.queue.load(Ordering::Relaxed) > 0
    }

    fn pop(&self) -> bool {
        let less = |n: u32| n.checked_sub(1);
        self.queue
            .fetch_update(Ordering::Acquire, Ordering::Relaxed, less)
            .is_ok()
    }

    /// Runs one piece, and stops the team if it was the last.
    fn run(&self) {
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.stopped.store(true, Ordering::SeqCst);
            for worker in self.idle.take_all() {
                let _ = self.parkers[worker].unpark();
            }
        }
    }

    fn wake_one(&self) {
        if let Some(worker) = self.idle.worker_to_wake() {
            self.wakes.fetch_add(1, Ordering::Relaxed);
            let _ = self.parkers[worker].unpark();
        }
    }

    fn put(&self) {
        // Step a.
        self.queue.fetch_add(1, Ordering::Release);
    }

    fn work(&self, index: usize) {
        self.parkers[index].adopt();
        loop {
            while self.pop() {
                self.run();
            }
            if self.stopped.load(Ordering::SeqCst) {
                return;
            }
            self.search_or_park(index);
        }
    }

    fn search_or_park(&self, index: usize) {
        let mut searching = self.idle.start_search();
        loop {
            if searching {
                let found = self.pop();
                if found || self.stopped.load(Ordering::Relaxed) {
                    if self.idle.found() && self.has_work() {
                        self.wake_one();
                    }
                    if found {
                        self.run();
                    }
                    return;
                }
            }
            // Step 1.
            self.idle.announce(index, searching);
            // Step 2.
            let work = self.has_work() || self.stopped.load(Ordering::SeqCst);
            // Step 3.
            if work && self.idle.retract(index) {
                return;
            }
            self.parkers[index].park();
            searching = true;
        }
    }
}

/// Puts workers to work while the model's own thread runs `make`; loom does not let
/// one that may be unparked late wait for another's end.
fn with_team(workers: usize, work: u32, make: impl FnOnce(&Team)) -> Arc<Team> {
    let team = Team::new(workers, work);
    let threads: Vec<_> = (0..workers)
        .map(|index| {
            let team = team.clone();
            thread::spawn(move || team.work(index))
        })
        .collect();
    make(&team);
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(team.queue.load(Ordering::Relaxed), 0);
    team
}

#[test]
fn a_worker_does_not_sleep_through_work_of_its_own() {
    explore(3, || {
        with_team(1, 2, |team| {
            for _ in 0..2 {
                team.put();
                if team.idle.take(0) {
                    let _ = team.parkers[0].unpark();
                }
            }
        });
    });
}

#[test]
fn work_that_anyone_can_do_is_done() {
    explore(2, || {
        let team = with_team(2, 1, |team| {
            team.put();
            team.wake_one();
        });
        assert!(team.wakes.load(Ordering::Relaxed) <= 1, "[W1]");
    });
}

#[test]
fn two_pieces_at_once_are_both_done() {
    explore(2, || {
        with_team(2, 2, |team| {
            for _ in 0..2 {
                team.put();
                team.wake_one();
            }
        });
    });
}

#[test]
fn of_two_makers_one_wakes_a_sleeper() {
    explore(3, || {
        let idle = Arc::new(Idle::new(2));
        idle.announce(0, false);
        idle.announce(1, false);
        let maker = {
            let idle = idle.clone();
            thread::spawn(move || idle.worker_to_wake())
        };
        let own = idle.worker_to_wake();
        let other = maker.join().unwrap();
        assert!(
            own.is_some() ^ other.is_some(),
            "[W1] the woken one searches"
        );
        assert_eq!(idle.parked(), 1);
        assert!(!idle.start_search(), "half of the workers search");
        assert!(idle.found(), "it was the only one");
    });
}

#[test]
fn a_retracted_worker_is_not_woken_and_a_woken_one_not_retracted() {
    explore(3, || {
        let idle = Arc::new(Idle::new(1));
        idle.announce(0, false);
        let maker = {
            let idle = idle.clone();
            thread::spawn(move || idle.take(0))
        };
        let retracted = idle.retract(0);
        let woken = maker.join().unwrap();
        assert!(retracted ^ woken);
        assert!(!idle.all_parked());
        if woken {
            assert!(idle.found(), "it counts as searching");
        } else {
            assert!(idle.start_search(), "nobody else does");
        }
    });
}

#[test]
fn an_unpark_before_or_during_park_ends_it_whatever_tokens_there_are() {
    explore(3, || {
        let parker = Arc::new(Parker::new());
        let sent = Arc::new(AtomicBool::new(false));
        parker.adopt();
        let sleeper = thread::current();
        let waker = {
            let (parker, sent) = (parker.clone(), sent.clone());
            thread::spawn(move || {
                // A token of user code.
                let _ = sleeper.unpark();
                sent.store(true, Ordering::Relaxed);
                let _ = parker.unpark();
            })
        };
        parker.park();
        assert!(sent.load(Ordering::Relaxed), "[W2] no earlier");
        waker.join().unwrap();
    });
}

/// [W2] An unpark ends a wait in the poller, whenever it comes; so it does with an event
/// that comes at the same time, and with the park that follows.
#[test]
fn loom_unpark_against_polling() {
    explore(3, || {
        let both = Arc::new((Parker::new(), Notified::default()));
        both.0.adopt();
        let waker = {
            let both = both.clone();
            thread::spawn(move || {
                if both.0.unpark() == Unpark::Poller {
                    both.1.notify();
                }
            })
        };
        let mut unparked = !both.0.begin_polling();
        if !unparked {
            // An event that is for nobody: it looks, and goes on.
            while !both.0.is_notified() {
                both.1.wait();
            }
            unparked = both.0.end_polling();
        }
        assert!(unparked);
        waker.join().unwrap();
        assert!(both.0.begin_polling(), "it has been taken");
    });
}

/// A poller with nothing but its notification.
#[derive(Default)]
struct Notified(loom::sync::Mutex<bool>, loom::sync::Condvar);

impl Notified {
    fn notify(&self) {
        *self.0.lock().unwrap() = true;
        self.1.notify_one();
    }

    fn wait(&self) {
        let mut notified = self.0.lock().unwrap();
        while !std::mem::take(&mut *notified) {
            notified = self.1.wait(notified).unwrap();
        }
    }
}
