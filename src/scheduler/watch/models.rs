//! The watch that goes to sleep against the worker that wakes up.

use std::sync::Arc;

use loom::sync::atomic::AtomicUsize;
use loom::thread;

use super::{PATIENCE, Watch};
use crate::scheduler::idle::{Idle, Parker};
use crate::sync::{Ordering, explore};

#[test]
fn a_worker_is_not_awake_without_the_watch() {
    explore(3, || {
        let watch = Arc::new(Watch::new(1));
        let pokes = Arc::new(AtomicUsize::new(0));
        let poked = pokes.clone();
        watch.set_waker(move || {
            poked.fetch_add(1, Ordering::Relaxed);
        });
        watch.ensure_awake();
        assert_eq!(pokes.load(Ordering::Relaxed), 1);
        for _ in 0..PATIENCE {
            assert!(watch.tick_done(|| true));
        }

        let idle = Arc::new(Idle::new(1));
        let parker = Arc::new(Parker::new());
        parker.adopt();
        idle.announce(0, false);
        let ticker = {
            let (watch, idle) = (watch.clone(), idle.clone());
            thread::spawn(move || watch.tick_done(|| idle.all_parked()))
        };
        let maker = {
            let (idle, parker) = (idle.clone(), parker.clone());
            thread::spawn(move || {
                assert!(idle.take(0));
                parker.unpark();
            })
        };
        parker.park();
        watch.worker_woke();
        maker.join().unwrap();
        let goes_on = ticker.join().unwrap();
        // It ticks on by itself, or has been poked after it said that it would not.
        assert!(goes_on || pokes.load(Ordering::Relaxed) > 1);
        assert!(watch.is_awake());
    });
}
