use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::{LanePlan, Scheduler, Task};
use crate::process::{Placement, sample};
use crate::reactor::{Clock, Plan, Reactor};

fn scheduler(workers: usize) -> Scheduler {
    let reactor = Arc::new(Reactor::new(Plan {
        runtime: 0,
        clock: Clock::new_virtual(),
        workers,
        resolution: std::time::Duration::from_millis(1),
    }));
    let lanes = LanePlan {
        most: 1,
        idle: LONG,
    };
    Scheduler::new(workers, 100, u32::MAX, 1, false, lanes, reactor)
}

const LONG: Duration = Duration::from_millis(100);

// A worker that is woken after a long sleep has not been still for long.
#[test]
fn sleeping_does_not_count_as_being_stuck() {
    let scheduler = scheduler(1);
    scheduler.idle.announce(0, false);
    for _ in 0..100 {
        scheduler.watch_tick(|_| {});
    }
    assert!(scheduler.is_still_for(LONG), "it sleeps");
    assert!(!scheduler.is_stuck(0));
    assert!(scheduler.idle.take(0));
    assert!(!scheduler.is_still_for(LONG), "it has just been woken");
    assert!(!scheduler.is_stuck(0));
    for _ in 0..100 {
        scheduler.watch_tick(|_| {});
    }
    assert!(scheduler.is_still_for(LONG));
    assert!(scheduler.is_stuck(0));
    scheduler.workers[0].counts.slices.add(1);
    scheduler.watch_tick(|_| {});
    assert!(!scheduler.is_still_for(LONG));
    assert!(!scheduler.is_stuck(0));
}

// [R55] what is behind a slice that lasts becomes stealable, next slot included.
#[test]
fn the_watch_gives_away_what_is_behind_a_stuck_worker() {
    let scheduler = scheduler(2);
    let [victim, thief] = [0, 1].map(|i| &*scheduler.workers[i]);
    let task = Task::new(sample::task(7, Placement::Normal));
    assert!(!victim.put_next(task));
    scheduler.idle.announce(1, false);
    assert!(scheduler.steal(thief).is_none());
    scheduler.watch_tick(|_| {});
    scheduler.watch_tick(|_| {});
    assert!(!scheduler.idle.is_parked(1), "the sleeper is woken for it");
    let stolen = scheduler.steal(thief).expect("it is stealable");
    assert_eq!(stolen.into_runnable().metadata().worker(), 7);
}

// [D2] [K4]
#[test]
fn a_thief_leaves_a_pinned_task_in_the_next_slot() {
    let scheduler = scheduler(2);
    let [victim, thief] = [0, 1].map(|i| &*scheduler.workers[i]);
    assert!(!victim.put_next(Task::new(sample::task(7, Placement::Pinned))));
    victim.stuck.store(true, Ordering::Release);
    assert_eq!((victim.runnable(), victim.pinned_runnable()), (0, 1));
    assert!(scheduler.steal(thief).is_none());
    let kept = victim.take_next().expect("it is where it was");
    assert_eq!(kept.into_runnable().metadata().worker(), 7);
    assert_eq!(victim.pinned_runnable(), 0);
}
