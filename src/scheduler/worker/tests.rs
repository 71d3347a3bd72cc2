use std::sync::atomic::Ordering;

use std::collections::VecDeque;

use super::{BLOCK_TURN, CHAIN, INBOX_TURN, PATIENCE, PINNED_TURN, Worker};
use crate::process::{Placement, sample};
use crate::scheduler::Task;
use crate::scheduler::ring::{SLOTS, THEFT};

fn worker() -> Worker {
    Worker::new(0, 1)
}

fn task(number: usize) -> Task {
    Task::new(sample::task(number, Placement::Normal))
}

fn pinned(number: usize) -> Task {
    Task::new(sample::task(number, Placement::Pinned))
}

fn number(task: Task) -> usize {
    task.into_runnable().metadata().worker()
}

fn pick(worker: &Worker) -> Option<usize> {
    worker.pick(0).map(number)
}

/// The task that runs, and its number.
fn run(worker: &Worker, epoch: u64) -> Option<(usize, Task)> {
    let runnable = worker.pick(epoch)?.into_runnable();
    Some((runnable.metadata().worker(), Task::new(runnable)))
}

fn rest(worker: &Worker) -> Vec<usize> {
    std::iter::from_fn(|| pick(worker)).collect()
}

fn sorted(mut numbers: Vec<usize>) -> Vec<usize> {
    numbers.sort_unstable();
    numbers
}

#[test]
fn what_was_woken_last_runs_next_and_the_rest_in_order() {
    let worker = worker();
    assert!(!worker.put_next(task(1)), "nothing for a helper");
    assert!(worker.put_next(task(2)), "the first went to the ring");
    assert!(worker.push_back(task(3)));
    assert!(worker.has_work());
    assert_eq!(rest(&worker), [2, 1, 3]);
    assert!(!worker.has_work());
}

#[test]
fn a_pinned_task_displaced_from_the_next_slot_is_no_helper_s_business() {
    let worker = worker();
    assert!(!worker.put_next(pinned(1)));
    assert!(!worker.put_next(task(2)), "[D2]");
    assert!(!worker.is_stealable());
    assert_eq!(worker.pinned_runnable(), 1);
    assert_eq!(rest(&worker), [2, 1]);
}

#[test]
fn the_next_slot_goes_first_only_so_often_in_a_row() {
    let worker = worker();
    worker.push_back(task(7));
    worker.push_inbox(task(8));
    worker.push_pinned(pinned(9));
    let mut slices_before = [None; 10];
    // Two that wake each other for ever.
    worker.put_next(task(0));
    for slice in 0..4 * CHAIN {
        let picked = pick(&worker).unwrap();
        if picked < 2 {
            worker.put_next(task(1 - picked));
        } else {
            slices_before[picked] = Some(slice);
        }
    }
    // [K2] each chain lets one of the queues in.
    for waiting in [7, 8, 9] {
        let slices = slices_before[waiting].expect("it has run");
        assert!(slices <= 4 * (CHAIN + 1), "{waiting} ran after {slices}");
    }
}

#[test]
fn a_chain_ends_with_the_second_tick() {
    let worker = worker();
    worker.start_chain(10);
    worker.push_back(task(7));
    let (mut here, mut there) = (task(0), task(1));
    for (epoch, expected) in [(10, 0), (11, 1), (11, 0)] {
        worker.put_next(here);
        let (number, ran) = run(&worker, epoch).unwrap();
        assert_eq!(number, expected);
        (here, there) = (there, ran);
    }
    worker.put_next(here);
    assert_eq!(worker.pick(12).map(number), Some(7), "[K2]");
    assert_eq!(worker.pick(12).map(number), Some(1));
}

#[test]
fn a_chain_goes_on_where_nobody_waits() {
    let worker = worker();
    let mut hub = task(1);
    for epoch in 0..100 {
        worker.put_next(hub);
        let (number, ran) = run(&worker, 5 * epoch).unwrap();
        assert_eq!(number, 1);
        hub = ran;
    }
    assert!(!worker.has_work());
}

/// Many that are in the queue, and each of which wakes the same one. Returns how many of
/// them run before each of its turns, if each spends so much.
fn slices_between_turns(spent: i64) -> Vec<usize> {
    let worker = worker();
    let count = 3 * PATIENCE as usize;
    for n in 1..=count {
        worker.push_back(task(n));
    }
    let mut hub = Some(task(0));
    let mut turns = Vec::new();
    let mut between = 0;
    while let Some((number, ran)) = run(&worker, 0) {
        if number == 0 {
            turns.push(between);
            between = 0;
            hub = Some(ran);
        } else {
            between += 1;
            if let Some(hub) = hub.take() {
                worker.put_next(hub);
            }
        }
        worker.spend(spent);
    }
    assert_eq!(turns.iter().sum::<usize>(), count);
    turns
}

#[test]
fn one_that_each_of_many_wakes_waits_for_several_of_them() {
    let patience = PATIENCE as usize;
    // Nobody knows at first that it is one of these.
    let mut expected = vec![1, patience, patience];
    expected.push(patience - 1);
    assert_eq!(slices_between_turns(1), expected, "[K5]");
    // An expensive slice is enough.
    let each = vec![1; 3 * patience];
    assert_eq!(slices_between_turns(PATIENCE), each, "[K5]");
}

#[test]
fn a_new_task_is_not_put_off_whatever_its_address() {
    let worker = worker();
    for n in 1..=20 {
        worker.push_back(task(n));
        // Most likely where the one before it was.
        worker.put_next(task(0));
        assert_eq!(pick(&worker), Some(0), "[K5]");
    }
}

#[test]
fn no_queue_starves_another() {
    let worker = worker();
    for n in 0..SLOTS - 1 {
        worker.push_back(task(n));
    }
    worker.push_inbox(task(1000));
    worker.push_pinned(pinned(2000));
    let mut order = Vec::new();
    for _ in 0..2 * INBOX_TURN {
        // Whoever ran is runnable again: the ring is never empty.
        let picked = pick(&worker).unwrap();
        worker.push_back(task(picked));
        order.push(picked);
    }
    let at = |n| order.iter().position(|&picked| picked == n).expect("[K3]") as u32;
    assert!(at(1000) < 2 * INBOX_TURN);
    assert!(at(2000) < PINNED_TURN);
}

#[test]
fn a_stream_into_the_inbox_or_pinned_starves_not_the_ring() {
    let worker = worker();
    worker.push_back(task(7));
    for n in 0..100 {
        worker.push_inbox(task(1000 + n));
        worker.push_pinned(pinned(2000 + n));
    }
    let order: Vec<_> = (0..4).map(|_| pick(&worker).unwrap()).collect();
    assert!(order.contains(&7), "{order:?}");
}

#[test]
fn what_the_ring_has_no_room_for_waits_in_the_backlog_in_order() {
    let worker = worker();
    let count = 3 * SLOTS;
    for n in 0..count {
        assert!(worker.push_back(task(n)));
    }
    assert_eq!(worker.runnable(), count);
    let blocks: Vec<Vec<usize>> = std::iter::from_fn(|| worker.backlog.pop())
        .map(|block| block.into_iter().map(number).collect())
        .collect();
    assert!(blocks.iter().all(|block| block.len() == THEFT));
    let rest = rest(&worker);
    assert_eq!(rest.len(), SLOTS);
    let all = blocks.into_iter().flatten().chain(rest);
    assert!(all.eq(0..count), "oldest first");
}

#[test]
fn a_ring_that_is_never_empty_does_not_starve_the_backlog() {
    let worker = worker();
    let count = 4 * SLOTS;
    let mut waiting: VecDeque<usize> = (0..count).collect();
    waiting.iter().for_each(|&n| {
        worker.push_back(task(n));
    });
    let mut slices = 0;
    while !waiting.is_empty() {
        // Whoever ran is runnable again.
        let (number, ran) = run(&worker, 0).unwrap();
        worker.push_back(ran);
        waiting.retain(|&n| n != number);
        slices += 1;
        // [K3] a block for each of its turns, and each comes to the end of a full ring.
        let turns = (count / THEFT) as u32;
        assert!(
            slices < (turns + 1) * BLOCK_TURN + SLOTS as u32,
            "{waiting:?}"
        );
    }
}

#[test]
fn the_inbox_refills_the_ring_in_order() {
    let worker = worker();
    let count = 2 * SLOTS;
    for n in 0..count {
        worker.push_inbox(task(n));
    }
    let order = rest(&worker);
    assert_eq!(order[0], 0);
    assert_eq!(sorted(order), (0..count).collect::<Vec<_>>());
}

/// The first stolen task, and how many there were.
fn numbered((task, count): (Task, usize)) -> (usize, usize) {
    (number(task), count)
}

#[test]
fn a_thief_takes_half_and_never_what_is_pinned_or_next() {
    let (victim, thief) = (worker(), Worker::new(1, 1));
    assert!(thief.steal_from(&victim).is_none());
    victim.put_next(task(100));
    victim.push_pinned(pinned(200));
    assert!(thief.steal_from(&victim).is_none());
    for n in 0..10 {
        victim.push_back(task(n));
    }
    let first = thief.steal_from(&victim).map(numbered);
    assert_eq!(first, Some((0, 5)));
    assert_eq!(rest(&thief), [1, 2, 3, 4]);
    assert_eq!(thief.counts.steals.get(), 5);
    assert_eq!(victim.counts.stolen.get(), 5);
    assert_eq!(sorted(rest(&victim)), [5, 6, 7, 8, 9, 100, 200]);
}

#[test]
fn a_thief_takes_no_more_than_so_many_whatever_the_backlog() {
    let (victim, thief) = (worker(), Worker::new(1, 1));
    for n in 0..1000 {
        victim.push_inbox(task(n));
    }
    assert_eq!(thief.steal_from(&victim).map(numbered), Some((0, THEFT)));
    assert_eq!(thief.runnable(), THEFT - 1);
    assert_eq!(victim.runnable(), 1000 - THEFT);
}

#[test]
fn a_thief_takes_the_oldest_block_before_the_ring() {
    let (victim, thief) = (worker(), Worker::new(1, 1));
    for n in 0..2 * SLOTS {
        victim.push_back(task(n));
    }
    assert_eq!(thief.steal_from(&victim).map(numbered), Some((0, THEFT)));
    assert_eq!(rest(&thief), (1..THEFT).collect::<Vec<_>>());
    assert_eq!(victim.runnable(), 2 * SLOTS - THEFT);
}

#[test]
fn a_stuck_worker_s_next_slot_is_taken_unless_it_is_pinned() {
    let (victim, thief) = (worker(), Worker::new(1, 1));
    victim.put_next(task(1));
    victim.stuck.store(true, Ordering::Release);
    assert!(victim.is_stealable());
    assert_eq!(thief.steal_from(&victim).map(numbered), Some((1, 1)));
    assert!(!victim.has_work());

    victim.put_next(pinned(2));
    assert!(!victim.is_stealable());
    assert_eq!((victim.runnable(), victim.pinned_runnable()), (0, 1));
    assert!(thief.steal_from(&victim).is_none());
    assert!(!thief.has_work());
    assert_eq!(rest(&victim), [2]);
}

#[test]
fn everything_can_be_taken_out() {
    let worker = worker();
    worker.put_next(task(0));
    for n in 1..400 {
        worker.push_back(task(n));
    }
    worker.push_inbox(task(400));
    worker.push_pinned(pinned(401));
    let all = worker.clear().into_iter().map(number).collect();
    assert_eq!(sorted(all), (0..402).collect::<Vec<_>>());
    assert!(!worker.has_work());
}
