//! Whoever sends a load against whoever cancels it, and against the end of its target.

use std::sync::Arc;

use loom::sync::Mutex;
use loom::sync::atomic::AtomicUsize;
use loom::thread;

use super::{HandedOn, Stage};
use crate::sync::{Ordering, explore};

/// A load, whose owners are counted when they let go of it.
struct Load(Arc<AtomicUsize>);

impl Drop for Load {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[derive(Default)]
struct Mailbox {
    closed: bool,
    messages: usize,
}

/// A timer and its target, which come together as in `MessageTimer`.
struct Timer {
    stage: Mutex<Stage<Load>>,
    mailbox: Mutex<Mailbox>,
    dropped: Arc<AtomicUsize>,
}

impl Timer {
    fn new() -> Arc<Timer> {
        let dropped = Arc::new(AtomicUsize::new(0));
        Arc::new(Timer {
            stage: Mutex::new(Stage::Pending(Load(Arc::clone(&dropped)))),
            mailbox: Mutex::default(),
            dropped,
        })
    }

    /// Whether the mailbox has taken a message.
    fn push(&self) -> bool {
        let mut mailbox = self.mailbox.lock().unwrap();
        mailbox.messages += usize::from(!mailbox.closed);
        !mailbox.closed
    }

    fn messages(&self) -> usize {
        self.mailbox.lock().unwrap().messages
    }

    fn dropped(&self) -> usize {
        self.dropped.load(Ordering::Relaxed)
    }

    /// The reactor's thread sends one message. Whether it has.
    fn due(&self) -> bool {
        let mut stage = self.stage.lock().unwrap();
        let handed_on = stage.hand_on(|load| match self.push() {
            true => Ok(load),
            false => Err((load, ())),
        });
        drop(stage);
        match handed_on {
            HandedOn::Sent(load) => {
                // It goes with the message.
                drop(load);
                true
            }
            HandedOn::Stays(()) | HandedOn::NotPending => false,
        }
    }

    /// A worker sends one clone, and keeps the load for the next tick.
    fn tick(&self) {
        let Some(load) = self.stage.lock().unwrap().begin() else {
            return;
        };
        let mut stage = self.stage.lock().unwrap();
        if stage.is_over() {
            drop(stage);
            drop(load);
            return;
        }
        self.push();
        stage.again(load);
    }

    /// Whether that was before its end.
    fn end(&self) -> bool {
        let (was, load) = self.stage.lock().unwrap().end();
        drop(load);
        was
    }

    /// The target ends: its mailbox is closed, and then what is tied to it ends. [G3]
    fn target_ends(&self) {
        self.mailbox.lock().unwrap().closed = true;
        self.end();
    }
}

/// A message is sent or cancelled, and its load is let go of once.
#[test]
fn a_message_is_sent_or_cancelled() {
    explore(3, || {
        let timer = Timer::new();
        let reactor = {
            let timer = timer.clone();
            thread::spawn(move || timer.due())
        };
        let cancelled = timer.end();
        let at_cancel = timer.messages();
        let again = timer.end();
        let sent = reactor.join().unwrap();
        assert!(sent != cancelled, "exactly one");
        assert!(!again, "cancelled twice");
        assert_eq!(timer.messages(), at_cancel, "[G2]");
        assert_eq!(timer.messages(), usize::from(sent));
        assert_eq!(timer.dropped(), 1, "[G1]");
    });
}

/// Nothing of an interval is sent after it was cancelled, and the load is let go of once,
/// by whoever had it.
#[test]
fn an_interval_is_cancelled_between_its_ticks() {
    explore(3, || {
        let timer = Timer::new();
        let worker = {
            let timer = timer.clone();
            thread::spawn(move || {
                timer.tick();
                timer.tick();
            })
        };
        assert!(timer.end(), "it does not end by itself");
        let at_cancel = timer.messages();
        worker.join().unwrap();
        assert_eq!(timer.messages(), at_cancel, "[G2]");
        assert_eq!(timer.dropped(), 1, "[G1]");
    });
}

/// Two workers have the same tick, one of them late: one sends.
#[test]
fn a_tick_is_sent_by_one() {
    explore(3, || {
        let timer = Timer::new();
        let others: Vec<_> = (0..2)
            .map(|_| {
                let timer = timer.clone();
                thread::spawn(move || timer.due())
            })
            .collect();
        let sent: usize = others
            .into_iter()
            .map(|other| usize::from(other.join().unwrap()))
            .sum();
        assert_eq!((sent, timer.messages(), timer.dropped()), (1, 1, 1));
    });
}

/// The target ends while a message is due and somebody cancels it: in the end nothing is
/// pending, and the load has been let go of once.
#[test]
fn the_target_ends_at_the_same_time() {
    explore(2, || {
        let timer = Timer::new();
        let reactor = {
            let timer = timer.clone();
            thread::spawn(move || timer.due())
        };
        let target = {
            let timer = timer.clone();
            thread::spawn(move || timer.target_ends())
        };
        let cancelled = timer.end();
        let sent = reactor.join().unwrap();
        target.join().unwrap();
        assert!(!(sent && cancelled));
        assert!(timer.stage.lock().unwrap().is_over(), "[G3]");
        assert_eq!(timer.dropped(), 1, "[G1]");
    });
}

/// The same with an interval, whose load is with a worker.
#[test]
fn the_target_of_an_interval_ends() {
    explore(3, || {
        let timer = Timer::new();
        let worker = {
            let timer = timer.clone();
            thread::spawn(move || {
                timer.tick();
                timer.tick();
            })
        };
        timer.target_ends();
        worker.join().unwrap();
        assert!(timer.stage.lock().unwrap().is_over(), "[G3]");
        assert_eq!(timer.dropped(), 1, "[G1]");
    });
}
