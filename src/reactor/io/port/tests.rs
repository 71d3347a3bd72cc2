use std::task::Waker;

use super::{Fault, Interest, Place, Port, Side, Waited, Who};

fn anyone() -> Who {
    Who::Foreign(Waker::noop().clone())
}

fn happens(port: &Port, ready: Interest, more: bool) -> usize {
    let mut woken = Vec::new();
    port.happen(ready, more, &mut woken);
    woken.len()
}

/// Waits for an edge; whether it does.
fn waits(port: &Port, side: Side, place: &mut Option<Place>) -> bool {
    matches!(
        port.wait(side, port.edge(side), place, anyone()),
        Waited::Waits { .. }
    )
}

#[test]
fn an_edge_is_for_its_side() {
    let port = Port::new();
    let (mut reads, mut writes) = (None, None);
    let (read, write) = (port.edge(Side::Read), port.edge(Side::Write));
    assert!(waits(&port, Side::Read, &mut reads));
    assert!(waits(&port, Side::Write, &mut writes));
    assert_eq!(port.wanted(), Interest::READABLE | Interest::WRITABLE);
    assert_eq!(happens(&port, Interest::WRITABLE, false), 1);
    assert_eq!(port.wanted(), Interest::READABLE);
    assert_eq!(port.edge(Side::Read), read);
    assert_ne!(port.edge(Side::Write), write);
    assert_eq!(happens(&port, Interest::WRITABLE, false), 0, "told once");
    let late = port.wait(Side::Write, write, &mut writes, anyone());
    assert!(matches!(late, Waited::Try), "[R1]");
    assert!(port.leave(reads.unwrap()).waited.is_some());
    assert!(port.leave(writes.unwrap()).waited.is_none());
    assert!(port.is_empty());
}

#[test]
fn a_place_is_used_again() {
    let port = Port::new();
    let mut place = None;
    let edge = port.edge(Side::Read);
    let first = port.wait(Side::Read, edge, &mut place, anyone());
    assert!(matches!(first, Waited::Waits { first: true }));
    let kept = place;
    let again = port.wait(Side::Read, edge, &mut place, anyone());
    assert!(matches!(again, Waited::Waits { first: false }));
    assert_eq!(place, kept);
    assert_eq!(happens(&port, Interest::READABLE, false), 1, "not twice");
}

#[test]
fn drained_until_the_next_edge() {
    let port = Port::new();
    let edge = port.edge(Side::Read);
    assert!(!port.is_drained(Side::Read, edge));
    port.took_less(Side::Read, edge);
    assert!(port.is_drained(Side::Read, edge));
    assert!(!port.is_drained(Side::Write, port.edge(Side::Write)));
    happens(&port, Interest::READABLE, false);
    let edge = port.edge(Side::Read);
    assert!(!port.is_drained(Side::Read, edge));
    // The other side has hung up: of what is left there is no edge to come.
    happens(&port, Interest::READABLE, true);
    let edge = port.edge(Side::Read);
    port.took_less(Side::Read, edge);
    assert!(!port.is_drained(Side::Read, edge));
    port.drain(Side::Read, edge);
    assert!(port.is_drained(Side::Read, edge));
}

#[test]
fn who_joins_learns_what_has_come() {
    let port = Port::new();
    let place = port.join(Interest::READABLE, anyone());
    assert!(port.check(place, anyone()).0.is_none());
    assert_eq!(
        happens(&port, Interest::READABLE | Interest::WRITABLE, false),
        1
    );
    let (result, _) = port.check(place, anyone());
    assert_eq!(result, Some(Ok(Interest::READABLE)));
    assert!(port.leave(place).waited.is_none());
    assert!(port.is_empty());
}

#[test]
fn a_fault_ends_all_waits() {
    let port = Port::new();
    let place = port.join(Interest::WRITABLE, anyone());
    let mut other = None;
    assert!(waits(&port, Side::Read, &mut other));
    let mut woken = Vec::new();
    port.fail(Fault::Closed, &mut woken);
    port.fail(Fault::Ended, &mut woken);
    assert_eq!(woken.len(), 2);
    assert_eq!(port.check(place, anyone()).0, Some(Err(Fault::Closed)));
    let late = port.wait(Side::Read, port.edge(Side::Read), &mut other, anyone());
    assert!(matches!(late, Waited::Failed(Fault::Closed)));
}
