//! Tasks that are put in line against lanes that go to sleep, and go.
//!
//! The line itself is no part of the models: it is looked at between two steps that are.

use std::sync::Arc;
use std::sync::Mutex as Kept;
use std::time::Duration;

use loom::sync::atomic::AtomicUsize;
use loom::thread::{self, JoinHandle};

use super::{LanePlan, Lanes};
use crate::sync::{Ordering, explore};

type Model = Lanes<u32, ()>;

/// A pool, and what its lanes have run.
struct Pool {
    lanes: Arc<Model>,
    threads: Arc<Kept<Vec<JoinHandle<()>>>>,
    ran: Arc<AtomicUsize>,
}

impl Pool {
    /// A lane that is idle goes at once, or never.
    fn new(most: usize, idle: Duration) -> Pool {
        let lanes = Arc::new(Model::new(LanePlan { most, idle }));
        let threads = Arc::new(Kept::new(Vec::new()));
        let ran = Arc::new(AtomicUsize::new(0));
        let active = Arc::new(AtomicUsize::new(0));
        let (weak, kept, counts) = (Arc::downgrade(&lanes), threads.clone(), ran.clone());
        lanes.set_start(move |lane| {
            let lanes = weak.upgrade().expect("the model has it");
            let (lane, ran, active) = (lane.clone(), counts.clone(), active.clone());
            let thread = thread::spawn(move || {
                let run = |task| {
                    let before = active.fetch_add(1, Ordering::Relaxed);
                    assert!(before < most, "[B2]");
                    ran.fetch_add(task as usize, Ordering::Relaxed);
                    active.fetch_sub(1, Ordering::Relaxed);
                };
                lanes.serve(&lane, run, || {});
            });
            kept.lock().unwrap().push(thread);
            Ok(())
        });
        Pool {
            lanes,
            threads,
            ran,
        }
    }

    /// All lanes have gone, and these have been run.
    fn check(&self, sum: usize) {
        loop {
            let Some(thread) = self.threads.lock().unwrap().pop() else {
                break;
            };
            thread.join().unwrap();
        }
        assert_eq!(self.lanes.queued(), 0, "[B1]");
        assert_eq!(self.ran.load(Ordering::Relaxed), sum);
    }
}

/// A task comes as the only lane goes: that one takes it, or another is started.
#[test]
fn a_task_comes_as_a_lane_goes() {
    explore(6, || {
        let pool = Pool::new(1, Duration::ZERO);
        assert!(pool.lanes.push(1).is_ok());
        assert!(pool.lanes.push(2).is_ok());
        pool.check(3);
    });
}

/// Two put tasks in line, of which one may come as a lane goes, and one as it starts.
#[test]
fn two_tasks_come_as_lanes_go() {
    explore(4, || {
        let pool = Pool::new(1, Duration::ZERO);
        let other = {
            let lanes = pool.lanes.clone();
            thread::spawn(move || assert!(lanes.push(1).is_ok()))
        };
        assert!(pool.lanes.push(2).is_ok());
        other.join().unwrap();
        pool.check(3);
    });
}

/// A task comes as a lane falls asleep: it is called. With the end it goes.
#[test]
fn a_task_comes_as_a_lane_falls_asleep() {
    explore(6, || {
        let pool = Pool::new(1, Duration::MAX);
        assert!(pool.lanes.push(1).is_ok());
        assert!(pool.lanes.push(2).is_ok());
        pool.lanes.stop();
        pool.check(3);
    });
}

/// With room for two lanes a task that has to wait behind another starts the second.
#[test]
fn a_second_lane_is_started() {
    explore(4, || {
        let pool = Pool::new(2, Duration::MAX);
        assert!(pool.lanes.push(1).is_ok());
        assert!(pool.lanes.push(2).is_ok());
        pool.lanes.stop();
        pool.check(3);
    });
}

/// Tasks are diverted to workers: each is run by a lane or comes back.
#[test]
fn tasks_are_diverted() {
    explore(6, || {
        let pool = Pool::new(1, Duration::ZERO);
        let diverter = {
            let lanes = pool.lanes.clone();
            thread::spawn(move || lanes.divert().iter().sum::<u32>())
        };
        let mut back = 0;
        for task in [1, 2] {
            back += pool.lanes.push(task).err().unwrap_or(0);
        }
        back += diverter.join().unwrap();
        pool.check(3 - back as usize);
    });
}
