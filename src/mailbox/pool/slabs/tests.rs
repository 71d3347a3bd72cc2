use std::collections::{BTreeMap, BTreeSet};
use std::ptr;

use super::{NODES, Node, Place, Slabs, Whole, fresh};
use crate::scheduler::Rng;

fn new_slab() -> [*mut Node; NODES] {
    let mut nodes = [ptr::null_mut(); NODES];
    fresh(&mut nodes);
    nodes
}

fn put(slabs: &mut Slabs, nodes: &[*mut Node], whole: &mut Whole) {
    for &node in nodes {
        // SAFETY: the tests put nodes that they have, and forget them.
        unsafe { slabs.put(node, whole) };
    }
}

fn take(slabs: &mut Slabs, most: usize) -> Vec<*mut Node> {
    let mut nodes = vec![ptr::null_mut(); most];
    let count = slabs.take(&mut nodes);
    nodes.truncate(count);
    nodes
}

fn slab(node: *mut Node) -> usize {
    // SAFETY: the node is a slab's, which the test keeps alive.
    unsafe { (*node.cast::<Place>()).slab.addr() }
}

/// Slabs on their way to the allocator.
fn count(whole: &Whole) -> usize {
    let mut count = 0;
    let mut at = whole.first;
    while !at.is_null() {
        count += 1;
        // SAFETY: a whole slab's link is the next one.
        at = unsafe { (*at).after };
    }
    count
}

fn write_over(node: *mut Node) {
    // SAFETY: a node that was handed out is memory of the test's.
    unsafe { node.cast::<u8>().write_bytes(0xA5, size_of::<Node>()) };
}

#[test]
fn a_slab_hands_out_each_of_its_nodes_and_goes_with_the_last_that_comes_back() {
    let (mut slabs, mut whole) = (Slabs::new(), Whole::new());
    let nodes = new_slab();
    nodes.iter().copied().for_each(write_over);
    let different: BTreeSet<_> = nodes.iter().collect();
    assert_eq!(different.len(), NODES);
    put(&mut slabs, &nodes[1..], &mut whole);
    assert_eq!((slabs.free(), count(&whole)), (NODES - 1, 0), "[B2]");
    put(&mut slabs, &nodes[..1], &mut whole);
    assert_eq!((slabs.free(), count(&whole)), (0, 1), "[B2]");
    assert!(take(&mut slabs, 1).is_empty());
}

#[test]
fn what_is_free_goes_out_again_before_a_new_slab_is_made() {
    let (mut slabs, mut whole) = (Slabs::new(), Whole::new());
    let (one, two) = (new_slab(), new_slab());
    put(&mut slabs, &one[..10], &mut whole);
    put(&mut slabs, &two[..20], &mut whole);
    assert_eq!(slabs.free(), 30);
    let mut again = take(&mut slabs, 25);
    assert_eq!((again.len(), slabs.free()), (25, 5));
    again.extend(take(&mut slabs, NODES));
    assert_eq!((again.len(), slabs.free()), (30, 0));
    let expected: BTreeSet<_> = one[..10].iter().chain(&two[..20]).collect();
    assert_eq!(again.iter().collect::<BTreeSet<_>>(), expected);
    put(&mut slabs, &again, &mut whole);
    put(&mut slabs, &one[10..], &mut whole);
    put(&mut slabs, &two[20..], &mut whole);
    assert_eq!((slabs.free(), count(&whole)), (0, 2));
}

/// [B1] [B2] against plain sets, in any order of takes and puts.
#[test]
fn nothing_is_lost_or_handed_out_twice_in_any_order() {
    for seed in 0..10 {
        let mut rng = Rng::new(seed);
        let mut slabs = Slabs::new();
        let mut used: Vec<*mut Node> = Vec::new();
        let mut free: BTreeMap<usize, usize> = BTreeMap::new();
        let mut made = 0;
        let mut gone = 0;
        for round in 0..1_000 {
            let grows = (round / 100) % 2 == 0;
            if rng.below(if grows { 3 } else { 8 }) > 0 {
                for _ in 0..used.len().min(rng.below(if grows { 40 } else { 80 })) {
                    let node = used.swap_remove(rng.below(used.len()));
                    let slab = slab(node);
                    let mut whole = Whole::new();
                    put(&mut slabs, &[node], &mut whole);
                    let there = free.entry(slab).or_default();
                    *there += 1;
                    assert_eq!(count(&whole), usize::from(*there == NODES), "[B2]");
                    if *there == NODES {
                        free.remove(&slab);
                        gone += 1;
                    }
                }
            } else {
                let most = 1 + rng.below(2 * NODES);
                let mut nodes = take(&mut slabs, most);
                assert_eq!(nodes.len(), most.min(free.values().sum()), "[B1]");
                for &node in &nodes {
                    *free.get_mut(&slab(node)).expect("a slab with free nodes") -= 1;
                }
                free.retain(|_, there| *there > 0);
                if nodes.is_empty() {
                    nodes.extend(new_slab());
                    made += 1;
                }
                nodes.iter().copied().for_each(write_over);
                used.extend(nodes);
            }
            assert_eq!(slabs.free(), free.values().sum::<usize>(), "[B1]");
            if round % 20 == 0 {
                let different: BTreeSet<_> = used.iter().collect();
                assert_eq!(different.len(), used.len());
            }
            let places = used.len() + slabs.free();
            assert_eq!(places, (made - gone) * NODES);
        }
        let mut whole = Whole::new();
        put(&mut slabs, &used, &mut whole);
        assert_eq!((slabs.free(), gone + count(&whole)), (0, made));
    }
}
