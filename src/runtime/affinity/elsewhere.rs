//! Other systems: one CPU for a thread, as `core_affinity` does it. Not tested.

use std::io;

use core_affinity::CoreId;

/// On macOS it is a hint.
pub(super) const HARD: bool = cfg!(any(windows, target_os = "freebsd", target_os = "netbsd"));

/// The CPUs that the calling thread may use.
pub(super) fn current() -> Vec<usize> {
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    cores.into_iter().map(|core| core.id).collect()
}

/// Binds the calling thread to one CPU. That can't be taken back, so the caller's own
/// thread is left alone; and new threads do not inherit it, so lanes may use all CPUs as
/// they are.
pub(super) fn bind(cpus: &[usize], callers: bool) -> io::Result<()> {
    let done = match cpus {
        &[id] if !callers => core_affinity::set_for_current(CoreId { id }),
        cpus => !callers && cpus == current(),
    };
    if done {
        Ok(())
    } else {
        Err(io::ErrorKind::Unsupported.into())
    }
}
