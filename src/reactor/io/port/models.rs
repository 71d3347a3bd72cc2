//! Whoever finds a source not ready, against the edge that comes meanwhile. [R1]

use std::sync::Arc;
use std::task::Waker;

use loom::thread;

use super::{Interest, Port, Side, Waited, Who};
use crate::sync::{AtomicBool, Ordering, explore};

/// A source with one piece of data, as a socket is: tried before it is waited for.
struct Source {
    port: Port,
    data: AtomicBool,
}

impl Source {
    fn new() -> Arc<Source> {
        Arc::new(Source {
            port: Port::new(),
            data: AtomicBool::new(false),
        })
    }

    /// The data, then the event for it. How many it woke.
    fn arrive(&self) -> usize {
        self.data.store(true, Ordering::Release);
        let mut woken = Vec::new();
        self.port.happen(Interest::READABLE, false, &mut woken);
        woken.len()
    }

    /// Tries until it has the data, or waits: whether it waits.
    fn read(&self) -> bool {
        let mut place = None;
        loop {
            let edge = self.port.edge(Side::Read);
            if !self.port.is_drained(Side::Read, edge) {
                if self.data.load(Ordering::Acquire) {
                    return false;
                }
                self.port.drain(Side::Read, edge);
            }
            let who = Who::Foreign(Waker::noop().clone());
            match self.port.wait(Side::Read, edge, &mut place, who) {
                Waited::Try => {}
                Waited::Waits { first } => {
                    assert!(first);
                    return true;
                }
                Waited::Failed(_) => unreachable!(),
            }
        }
    }
}

/// Of data and a reader, either the reader has it, or it is woken for it.
#[test]
fn loom_no_edge_is_slept_past() {
    explore(3, || {
        let source = Source::new();
        let system = {
            let source = source.clone();
            thread::spawn(move || source.arrive())
        };
        let waits = source.read();
        let woken = system.join().unwrap();
        assert_eq!(woken, usize::from(waits));
    });
}

/// Two readers and the data: whoever waits is woken.
#[test]
fn loom_all_readers_are_woken() {
    explore(2, || {
        let source = Source::new();
        let system = {
            let source = source.clone();
            thread::spawn(move || source.arrive())
        };
        let other = {
            let source = source.clone();
            thread::spawn(move || source.read())
        };
        let waits = usize::from(source.read()) + usize::from(other.join().unwrap());
        assert_eq!(system.join().unwrap(), waits);
    });
}
