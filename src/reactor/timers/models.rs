//! Whoever starts a deadline against the reactor that falls asleep, and against the
//! reactor that fires it.

use std::sync::Arc;

use loom::thread;

use super::{Started, Timers};
use crate::sync::explore;

/// Either the reactor sees the nearer deadline, or it is notified of it.
#[test]
fn no_nearer_deadline_is_slept_past() {
    explore(3, || {
        let timers = Arc::new(Timers::new([1, 1]));
        assert!(timers.start(0, 40, 0, 'a').is_ok());
        let starter = {
            let timers = timers.clone();
            thread::spawn(move || {
                let nearer = timers.start(1, 10, 0, 'b');
                let farther = timers.start(0, 50, 0, 'c');
                assert!(matches!(farther, Ok(Started::Noticed(_))));
                matches!(nearer, Ok(Started::Nearer(_)))
            })
        };
        let sleeps = timers.falls_asleep(1000);
        let notified = starter.join().unwrap();
        match sleeps {
            Some(40) => assert!(notified, "it sleeps past the nearer one"),
            Some(10) => assert!(!notified, "woken in vain"),
            None => {}
            other => panic!("{other:?}"),
        }
    });
}

/// A value that is cancelled and due at once belongs to exactly one of the two.
#[test]
fn cancel_against_expiry() {
    explore(3, || {
        let timers = Arc::new(Timers::new([1]));
        let Ok(Started::Noticed(key)) = timers.start(0, 10, 0, Box::new(7)) else {
            panic!("nobody sleeps");
        };
        let reactor = {
            let timers = timers.clone();
            thread::spawn(move || {
                let mut expired = Vec::new();
                timers.expire(10, &mut expired);
                expired.pop().map(|entry| entry.value)
            })
        };
        // A stale key meets whoever has the place by now.
        let cancelled = timers.cancel(key).map(|(_, value)| value);
        let next = timers.start(0, 20, 0, Box::new(8)).expect("open");
        assert!(timers.cancel(key).is_none());
        let expired = reactor.join().unwrap();
        assert!(
            cancelled.is_some() != expired.is_some(),
            "exactly one has it"
        );
        assert_eq!(timers.pending(), 1);
        let (Started::Noticed(next) | Started::Nearer(next)) = next;
        assert_eq!(timers.cancel(next), Some((20, Box::new(8))));
    });
}
