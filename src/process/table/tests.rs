use std::num::NonZeroU64;

use super::{SHARDS, Table};
use crate::process::{Pid, ProcessRef, sample};

const RUNTIME: u32 = 3;

fn insert(table: &Table, near: usize, number: usize) -> Pid {
    let mut named = None;
    table.insert(RUNTIME, near, sample::process(number), |process, pid| {
        // SAFETY: nobody can reach it yet.
        unsafe { process.set_pid(pid) };
        named = Some(pid);
    });
    named.expect("an entry has a name")
}

fn number(found: Option<ProcessRef>) -> Option<usize> {
    found.map(|process| process.worker())
}

#[test]
fn a_pid_finds_its_process_until_that_is_removed() {
    let table = Table::new();
    let pids: Vec<Pid> = (0..200).map(|n| insert(&table, n, n)).collect();
    for (n, &pid) in pids.iter().enumerate() {
        assert_eq!(number(table.get(pid)), Some(n));
        assert_eq!(pid.runtime(), RUNTIME);
    }
    assert_eq!(number(table.remove(pids[7])), Some(7));
    assert_eq!(number(table.get(pids[7])), None);
    assert_eq!(number(table.remove(pids[7])), None);
    assert_eq!(table.all().len(), 199);
    let mut left = table.pids();
    left.sort_unstable();
    let mut expected = pids;
    expected.remove(7);
    expected.sort_unstable();
    assert_eq!(left, expected);
}

#[test]
fn a_slot_s_next_tenant_has_another_name() {
    let table = Table::new();
    let mut last = insert(&table, 5, 0);
    for n in 1..100 {
        drop(table.remove(last));
        let next = insert(&table, 5, n);
        assert_eq!(next.index(), last.index(), "the slot is used again");
        assert_ne!(next, last, "[T1]");
        assert_eq!(number(table.get(last)), None);
        assert_eq!(number(table.remove(last)), None);
        assert_eq!(number(table.get(next)), Some(n));
        last = next;
    }
}

#[test]
fn callers_that_are_near_each_other_share_a_shard_and_others_do_not() {
    let table = Table::new();
    let [a, b, c] = [0, 0, 1].map(|near| insert(&table, near, 0).index() as usize % SHARDS);
    assert_eq!(a, b);
    assert_ne!(a, c);
    assert_eq!(insert(&table, SHARDS, 0).index() as usize % SHARDS, a);
}

#[test]
fn pids_that_nobody_has_find_nobody() {
    let table = Table::new();
    let pid = insert(&table, 0, 1);
    let generation = NonZeroU64::new(99).unwrap();
    for strange in [
        Pid::new(RUNTIME, pid.index(), generation),
        Pid::new(RUNTIME, u32::MAX, generation),
        Pid::new(RUNTIME, u32::MAX, NonZeroU64::MAX),
        Pid::new(RUNTIME + 1, pid.index(), NonZeroU64::MIN),
    ] {
        assert!(table.get(strange).is_none(), "{strange}");
        assert!(table.remove(strange).is_none(), "{strange}");
    }
    assert_eq!(number(table.get(pid)), Some(1));
}
