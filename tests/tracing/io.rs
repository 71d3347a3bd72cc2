//! What is said of I/O.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::mem::ManuallyDrop;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use futures::FutureExt;
use tracing::level_filters::LevelFilter;
use uproar::Runtime;
use uproar::prelude::*;

use super::recorder::Recorder;
use super::support::watchdog;
use super::table;

/// Held by who makes a poller, so that they are told apart.
static POLLER: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    POLLER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes as long as it takes until that is said.
#[test]
pub fn io_that_does_not_come_is_told() {
    let _alone = alone();
    let _watchdog = watchdog(120);
    let recorder = Recorder::new("uproar::reactor", LevelFilter::WARN);
    let (here, mut there) = UnixStream::pair().unwrap();
    let told = recorder.clone();
    // Comes when it has been said.
    let late = thread::spawn(move || {
        let lines = loop {
            let lines = told.take();
            if !lines.is_empty() {
                break lines;
            }
            thread::yield_now();
        };
        there.write_all(b"x").unwrap();
        lines
    });
    tracing::subscriber::with_default(recorder, || {
        let runtime = Runtime::builder().manual();
        let ready = runtime.block_on(async { syscall(&here, Interest::READABLE).await });
        assert_eq!(ready.unwrap(), Interest::READABLE);
    });
    let lines = late.join().unwrap();
    table::check(&lines);
    assert_eq!(lines[0].get("waits"), "1");
}

/// The descriptors of pollers.
fn pollers() -> BTreeSet<RawFd> {
    let all = fs::read_dir("/proc/self/fd").unwrap().flatten();
    let pollers = all.filter_map(|entry| {
        let what = fs::read_link(entry.path()).ok()?;
        let is_poller = what.to_str()?.contains("eventpoll");
        is_poller.then(|| entry.file_name().to_str()?.parse().ok())?
    });
    pollers.collect()
}

/// Its descriptor is made to be of something else.
#[test]
pub fn a_poller_that_fails_is_told() {
    let _alone = alone();
    let _watchdog = watchdog(120);
    let recorder = Recorder::new("uproar::reactor", LevelFilter::ERROR);
    let lines = recorder.record(|| {
        let runtime = Runtime::builder().jump_over_io(true).manual();
        let (here, _there) = UnixStream::pair().unwrap();
        runtime.block_on(async {
            let before = pollers();
            let mut waits = syscall(&here, Interest::READABLE);
            assert!((&mut waits).now_or_never().is_none());
            let own: Vec<_> = pollers().difference(&before).copied().collect();
            assert_eq!(own.len(), 1, "no other test makes one");
            let nothing = File::open("/dev/null").unwrap();
            // SAFETY: it is not closed here.
            let own = unsafe { OwnedFd::from_raw_fd(own[0]) };
            let mut own = ManuallyDrop::new(own);
            rustix::io::dup2(&nothing, &mut own).unwrap();
            // Time goes on, and each look at the poller fails.
            sleep(Duration::from_millis(1)).await;
            drop(waits);
        });
    });
    table::check(&lines);
    assert!(!lines.is_empty());
}
