use std::cell::RefCell;
use std::collections::HashSet;
use std::ptr::NonNull;
use std::thread;

use super::{DEPOT, Guard, LOCAL, MAGAZINE, Node, allocate, depot, release};

fn take(count: usize) -> Vec<NonNull<Node>> {
    let nodes: Vec<_> = (0..count).map(|_| allocate()).collect();
    let different: HashSet<_> = nodes.iter().collect();
    assert_eq!(different.len(), count, "nobody else has it");
    for node in &nodes {
        // SAFETY: it is ours, and large enough.
        unsafe {
            node.as_ptr()
                .cast::<u8>()
                .write_bytes(0xA5, size_of::<Node>())
        };
    }
    nodes
}

fn give(nodes: Vec<NonNull<Node>>) {
    for node in nodes {
        // SAFETY: it came from `allocate`, and is not used again.
        unsafe { release(node) };
    }
}

#[test]
fn a_node_that_came_back_is_the_next_to_go() {
    thread::spawn(|| {
        give(take(1));
        let node = allocate();
        give(vec![node]);
        assert_eq!(allocate(), node);
        give(vec![node]);
    })
    .join()
    .unwrap();
}

#[test]
fn more_than_a_magazine_or_two_come_and_go() {
    thread::spawn(|| {
        for count in [1, MAGAZINE - 1, MAGAZINE, MAGAZINE + 1, 5 * MAGAZINE + 3] {
            for _ in 0..3 {
                give(take(count));
            }
        }
        // At the edge of a magazine, in both directions.
        let mut held = take(2 * MAGAZINE);
        for n in 0..1000 {
            if n % 3 == 0 {
                held.push(allocate());
            } else if let Some(node) = held.pop() {
                give(vec![node]);
            }
        }
        give(held);
    })
    .join()
    .unwrap();
}

#[test]
fn nodes_that_one_thread_takes_and_another_gives_back_come_round() {
    let (to_other, from_here) = std::sync::mpsc::sync_channel::<Vec<usize>>(4);
    let giver = thread::spawn(move || {
        for nodes in from_here {
            give(
                nodes
                    .into_iter()
                    .map(|node| NonNull::new(std::ptr::with_exposed_provenance_mut(node)).unwrap())
                    .collect(),
            );
        }
    });
    for _ in 0..200 {
        let nodes = take(MAGAZINE / 2);
        let nodes = nodes.into_iter().map(|n| n.as_ptr().expose_provenance());
        to_other.send(nodes.collect()).unwrap();
    }
    drop(to_other);
    giver.join().unwrap();
    assert!(depot().full.len() <= DEPOT, "[N1]");
}

#[test]
fn a_thread_that_is_ending_keeps_no_magazine() {
    thread::spawn(|| {
        let mut held = take(3 * MAGAZINE);
        give(held.split_off(MAGAZINE));
        // As destructors of thread-locals find it that run after the guard's.
        drop(Guard);
        for _ in 0..3 {
            let more = take(2 * MAGAZINE);
            held.extend(more);
            give(held.split_off(MAGAZINE / 2));
        }
        give(held);
        LOCAL.with(|local| {
            assert!(local.loaded.get().is_null());
            assert!(local.spare.get().is_null());
        });
    })
    .join()
    .unwrap();
}

#[test]
fn a_thread_local_that_sends_at_the_thread_s_end_may() {
    use crate::mailbox::NodeBox;
    struct Late(Option<NodeBox>);
    impl Drop for Late {
        fn drop(&mut self) {
            let mut held = self.0.take().expect("set below");
            assert_eq!(held.take(), Some(1u32));
            drop((0..100u32).map(NodeBox::message).collect::<Vec<_>>());
        }
    }
    thread_local! {
        static EARLY: RefCell<Late> = const { RefCell::new(Late(None)) };
        static LATE: RefCell<Late> = const { RefCell::new(Late(None)) };
    }
    thread::spawn(|| {
        // One registered before the pool's guard, one after it.
        EARLY.with(|_| {});
        give(take(3 * MAGAZINE));
        LATE.with(|_| {});
        for slot in [&EARLY, &LATE] {
            slot.with_borrow_mut(|late| late.0 = Some(NodeBox::message(1u32)));
        }
    })
    .join()
    .unwrap();
}
