//! Processes for unit tests, of no runtime.

use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering};

use async_task::Runnable;

use super::{Birth, Kind, Pid, Placement, Process, ProcessRef};
use crate::mailbox::Mailbox;

/// A task whose process says that it ran on worker `number`.
pub(crate) fn task(number: usize, placement: Placement) -> Runnable<Process> {
    let birth = Birth {
        mailbox: Mailbox::unbounded(),
        runtime: std::ptr::null(),
        kind: Kind::of::<(), ()>(),
        worker: number,
        placement,
        is_main: false,
        parent: None,
        born: 0,
    };
    let (runnable, task) = async_task::Builder::new()
        .metadata(Process::new(birth))
        .spawn(|_| std::future::ready(()), drop);
    task.detach();
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let generation = NonZeroU64::new(NEXT.fetch_add(1, Ordering::Relaxed));
    let pid = Pid::new(0, number as u32, generation.expect("not so many"));
    // SAFETY: nobody else has it.
    unsafe { runnable.metadata().set_pid(pid) };
    runnable
}

/// A process whose task will never run.
pub(crate) fn process(number: usize) -> ProcessRef {
    let runnable = task(number, Placement::Normal);
    // SAFETY: nobody else has it.
    unsafe { runnable.metadata().set_waker(&runnable.waker()) };
    ProcessRef::new(runnable.metadata())
}
