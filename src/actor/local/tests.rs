use std::cell::Cell;
use std::future::{pending, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread;

use super::Local;

struct Counted(Arc<AtomicUsize>, Rc<()>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

type Boxed = Pin<Box<dyn Future<Output = u32> + Send>>;

/// A future that is not `Send`, waits once and counts its drop.
fn local(drops: &Arc<AtomicUsize>) -> Boxed {
    let drops = drops.clone();
    Box::pin(Local::new(move || {
        let counted = Counted(drops, Rc::new(()));
        let polls = Cell::new(0);
        async move {
            let counted = counted;
            poll_fn(|_| {
                polls.set(polls.get() + 1);
                if polls.get() > 1 {
                    Poll::Ready(())
                } else {
                    Poll::Pending
                }
            })
            .await;
            Rc::strong_count(&counted.1) as u32
        }
    }))
}

fn poll(future: &mut Boxed) -> Poll<u32> {
    future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn it_is_built_where_it_is_polled_first() {
    let drops = Arc::default();
    let mut future = local(&drops);
    thread::spawn(move || {
        assert_eq!(poll(&mut future), Poll::Pending);
        assert_eq!(poll(&mut future), Poll::Ready(1));
    })
    .join()
    .unwrap();
    assert_eq!(drops.load(Ordering::SeqCst), 1);
}

// [A1]
#[test]
fn away_from_home_it_is_neither_polled_nor_dropped() {
    let drops = Arc::default();
    let mut future = local(&drops);
    assert_eq!(poll(&mut future), Poll::Pending);
    thread::spawn(move || {
        let polled = catch_unwind(AssertUnwindSafe(|| poll(&mut future)));
        assert!(polled.is_err());
        drop(future);
    })
    .join()
    .unwrap();
    assert_eq!(drops.load(Ordering::SeqCst), 0, "leaked");
}

#[test]
fn unbuilt_it_goes_anywhere() {
    let closure = Arc::new(());
    let kept = closure.clone();
    let future = Local::new(move || {
        drop(kept);
        pending::<()>()
    });
    thread::spawn(move || drop(future)).join().unwrap();
    assert_eq!(Arc::strong_count(&closure), 1);
}
