//! Ends that are waited for, and an actor's own.

use std::sync::atomic::Ordering;

use uproar::Runtime;
use uproar::prelude::*;

use super::cutter::{Cutter, every_cut, every_cut_on_threads};
use super::support::{DropCounter, down_of};

#[test]
fn the_end_of_a_runtime() {
    every_cut(async |cutter| {
        let inner = Runtime::builder().workers(1).manual();
        let (waited, ends) = (inner.handle(), inner.handle());
        spawn(async move {
            yield_now().await;
            yield_now().await;
            ends.shutdown(Duration::ZERO);
        });
        let ended = cutter.cut(|| waited.wait()).await;
        assert!(ended.is_none() || waited.has_ended());
        waited.wait().await;
    });
}

#[test]
fn the_end_of_a_runtime_with_threads() {
    every_cut_on_threads(async |cutter| {
        let inner = Runtime::builder().workers(1).start().unwrap();
        let (waited, ends) = (inner.handle(), inner.handle());
        spawn_blocked(async move {
            ends.shutdown(Duration::ZERO);
        });
        let ended = cutter.cut(|| waited.wait()).await;
        assert!(ended.is_none() || waited.has_ended());
        waited.wait().await;
    });
}

// Once it was polled the end is decided, although the future is dropped: it comes at the next
// await. One that was not polled has decided nothing.
#[test]
fn an_exit() {
    every_cut(async |cutter| {
        let (runtime, way, polls) = (cutter.runtime.clone(), cutter.way, cutter.polls);
        // It never ends; so it is cut as often as makes a difference.
        cutter.has_cut.store(polls < 3, Ordering::Relaxed);
        let drops = DropCounter::new();
        let token = drops.token();
        let (_, monitor) = spawn_monitor(async move {
            let _token = token;
            let cutter = Cutter::new(runtime, way, polls);
            cutter.cut(|| exit(ExitReason::error("decided"))).await;
            yield_now().await;
            Err::<(), _>("went on")
        });
        let went_on = if polls == 0 { "went on" } else { "decided" };
        assert_eq!(down_of(monitor).await, ExitReason::error(went_on));
        assert_eq!(drops.count(), 1);
    });
}
