//! Blocking actors: lanes, their bound, their line, and what all classes share.

#[macro_use]
#[path = "../support/mod.rs"]
mod support;

mod calls;
mod ends;
mod figures;
mod lanes;

use std::collections::HashSet;
use std::future::pending;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, ThreadId};
use std::time::Instant;

use support::{DropCounter, OnDrop, Watch, end_of};
use uproar::prelude::*;
use uproar::{Placement, Runtime};

fn runtime(lanes: usize) -> Runtime {
    Runtime::builder()
        .workers(1)
        .blocking_threads(lanes)
        .start()
        .unwrap()
}

fn until(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(60), "never: {what}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// A blocking actor that holds its lane, until the sender is used or dropped.
fn hold(runtime: &Runtime) -> (Address<Anything>, mpsc::Sender<()>) {
    let (release, wait) = mpsc::channel::<()>();
    let (told, busy) = mpsc::channel();
    let actor = runtime.spawn_blocked(async move {
        told.send(()).unwrap();
        let _ = wait.recv();
    });
    busy.recv().unwrap();
    (actor, release)
}
