//! The reply slot in every order of its halves' steps. [A1] [A2]
//!
//! loom sees a slot or a reply that nobody frees, and two halves that are at the same
//! cell at once.

use std::sync::Arc;
use std::task::{Poll, Wake, Waker};

use loom::alloc::Track;
use loom::thread::{self, Thread};

use super::{Awaited, ReplyTo, slot};
use crate::actor::AskError;
use crate::sync::{AtomicUsize, Ordering, explore};

struct Unpark {
    /// `None` where the asker does not sleep: loom would end a `join` by it.
    thread: Option<Thread>,
    wakes: AtomicUsize,
}

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.wakes.fetch_add(1, Ordering::Relaxed);
        if let Some(thread) = &self.thread {
            thread.unpark();
        }
    }
}

fn unpark() -> Arc<Unpark> {
    Arc::new(Unpark {
        thread: Some(thread::current()),
        wakes: AtomicUsize::new(0),
    })
}

fn counted() -> Arc<Unpark> {
    Arc::new(Unpark {
        thread: None,
        wakes: AtomicUsize::new(0),
    })
}

type Reply = Track<u32>;

fn reply_on_thread(reply_to: ReplyTo<Reply>) -> thread::JoinHandle<()> {
    thread::spawn(move || reply_to.send(Track::new(7)))
}

/// Waits as an asker does, sleeping until it is woken.
fn wait(awaited: &mut Awaited<Reply>, waker: &Waker) -> Result<u32, AskError> {
    loop {
        if let Poll::Ready(outcome) = awaited.poll(waker) {
            return outcome.map(Track::into_inner);
        }
        thread::park();
        // It may have been woken by itself, to look again soon.
        thread::yield_now();
    }
}

#[test]
fn a_reply_wakes_the_asker_and_arrives() {
    explore(4, || {
        let (reply_to, mut awaited) = slot::<Reply>();
        let replier = reply_on_thread(reply_to);
        let waker = Waker::from(unpark());
        assert_eq!(wait(&mut awaited, &waker), Ok(7));
        drop(awaited);
        replier.join().unwrap();
    });
}

#[test]
fn a_dropped_right_to_answer_is_an_answer() {
    explore(4, || {
        let (reply_to, mut awaited) = slot::<Reply>();
        let replier = thread::spawn(move || drop(reply_to));
        let waker = Waker::from(unpark());
        assert_eq!(wait(&mut awaited, &waker), Err(AskError::NoReply));
        replier.join().unwrap();
    });
}

#[test]
fn the_waker_of_the_last_poll_is_the_one_that_counts() {
    explore(3, || {
        let (reply_to, mut awaited) = slot::<Reply>();
        let replier = reply_on_thread(reply_to);
        let (early, late) = (counted(), unpark());
        let mut outcome = awaited.poll(&Waker::from(early.clone()));
        if outcome.is_pending() {
            outcome = awaited.poll(&Waker::from(late.clone()));
        }
        let outcome = match outcome {
            Poll::Ready(outcome) => outcome.map(Track::into_inner),
            Poll::Pending => wait(&mut awaited, &Waker::from(late.clone())),
        };
        assert_eq!(outcome, Ok(7));
        drop(awaited);
        replier.join().unwrap();
        for waker in [early, late] {
            assert_eq!(Arc::strong_count(&waker), 1, "the slot's has gone");
        }
    });
}

#[test]
fn an_asker_that_changes_its_waker_and_gives_up_leaves_nothing_behind() {
    explore(3, || {
        let (reply_to, mut awaited) = slot::<Reply>();
        let replier = reply_on_thread(reply_to);
        let wakers = [counted(), counted()];
        for waker in &wakers {
            let _ = awaited.poll(&Waker::from(waker.clone()));
        }
        drop(awaited);
        replier.join().unwrap();
        for waker in wakers {
            assert_eq!(Arc::strong_count(&waker), 1, "the slot's has gone");
            assert!(waker.wakes.load(Ordering::Relaxed) <= 1);
        }
    });
}

#[test]
fn an_asker_that_gives_up_leaves_nothing_behind() {
    explore(4, || {
        let (reply_to, mut awaited) = slot::<Reply>();
        let replier = thread::spawn(move || {
            let _ = reply_to.is_wanted();
            reply_to.send(Track::new(7));
        });
        let waker = counted();
        let _ = awaited.poll(&Waker::from(waker.clone()));
        drop(awaited);
        replier.join().unwrap();
        assert_eq!(Arc::strong_count(&waker), 1, "the slot's has gone");
    });
}

#[test]
fn an_asker_that_never_looked_leaves_nothing_behind() {
    explore(4, || {
        let (reply_to, awaited) = slot::<Reply>();
        let replier = reply_on_thread(reply_to);
        drop(awaited);
        replier.join().unwrap();
    });
}

#[test]
fn both_may_drop_at_once() {
    explore(4, || {
        let (reply_to, mut awaited) = slot::<Reply>();
        let replier = thread::spawn(move || drop(reply_to));
        let _ = awaited.poll(&Waker::from(counted()));
        drop(awaited);
        replier.join().unwrap();
    });
}
