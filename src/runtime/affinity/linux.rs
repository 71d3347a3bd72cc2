//! Linux: a mask for each thread, which new threads inherit from the one that starts them.

use std::io;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

pub(super) const HARD: bool = true;

/// The CPUs that the calling thread may use.
pub(super) fn current() -> Vec<usize> {
    let Ok(set) = sched_getaffinity(None) else {
        return Vec::new();
    };
    (0..CpuSet::MAX_CPU)
        .filter(|&cpu| set.is_set(cpu))
        .collect()
}

/// Binds the calling thread to these CPUs. A mask can be taken back, so it may be the
/// caller's thread as well.
pub(super) fn bind(cpus: &[usize], _callers: bool) -> io::Result<()> {
    let mut set = CpuSet::new();
    for &cpu in cpus.iter().filter(|&&cpu| cpu < CpuSet::MAX_CPU) {
        set.set(cpu);
    }
    Ok(sched_setaffinity(None, &set)?)
}
