//! What a child of the process sees of a runtime: nothing. Case 38.
#![cfg(target_os = "linux")]

mod support;

use std::process::Command;
use std::sync::mpsc;

use uproar::Runtime;
use uproar::prelude::*;

/// Descriptors that a child program has open, as it sees them itself.
fn childs_descriptors() -> usize {
    let output = Command::new("ls").arg("/proc/self/fd").output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().lines().count()
}

#[test]
fn a_child_inherits_no_descriptor_and_disturbs_nobody() {
    let _watchdog = support::watchdog(120);
    let before = childs_descriptors();
    let runtime = Runtime::builder().workers(2).start().unwrap();
    // Timers, lanes, and async-io's poller.
    let inbox = runtime.inbox::<u32>();
    runtime.send_interval(Duration::from_millis(2), &inbox.address(), 1);
    let (release, wait) = mpsc::channel::<()>();
    runtime.spawn_blocked(async move {
        let _ = wait.recv();
    });
    assert_eq!(inbox.recv_timeout(Duration::from_secs(60)), Ok(1));
    assert_eq!(childs_descriptors(), before);
    // From a lane, which is a thread like others.
    let counted = runtime.inbox();
    let to = counted.address();
    runtime.spawn_blocked(async move { to.send(childs_descriptors()) });
    assert_eq!(counted.recv_timeout(Duration::from_secs(60)), Ok(before));
    for _ in 0..10 {
        assert_eq!(inbox.recv_timeout(Duration::from_secs(60)), Ok(1));
    }
    drop(release);
}
