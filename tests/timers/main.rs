//! Messages that are sent later: once, at intervals, and taken back.

#[macro_use]
#[path = "../support/mod.rs"]
mod support;

mod lives;
mod messages;
mod races;
mod ticks;
mod values;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use futures::FutureExt;
use support::{DropCounter, OnDrop, Stop, Token, panic_of, until_stop};
use uproar::prelude::*;
use uproar::{ManualRuntime, Runtime, Tick};

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

/// Waits until no timer is pending. The watchdog ends it.
fn no_timers(runtime: &uproar::Handle) {
    while runtime.stats().timers > 0 {
        thread::yield_now();
    }
}
