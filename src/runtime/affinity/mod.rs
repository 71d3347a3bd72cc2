//! Which CPUs the threads of a runtime run on.
//!
//! What this OS process may use is asked of the OS, so that a mask or a container's set of
//! CPUs is kept to, whatever their numbers are. A thread that can't be bound runs where the
//! OS puts it: that is counted and traced, and nothing else.

#[cfg_attr(
    not(any(target_os = "linux", target_os = "android")),
    path = "elsewhere.rs"
)]
#[cfg_attr(any(target_os = "linux", target_os = "android"), path = "linux.rs")]
mod os;

use std::cell::RefCell;
use std::io;
use std::num::NonZero;

use crate::observe::events;
use crate::scheduler::Count;

/// Which CPUs the threads of a runtime are bound to. For
/// [`Builder::affinity`](crate::Builder::affinity).
///
/// Numbers of CPUs are those of the operating system; those that this program may use are in
/// [`Capabilities::cpus`].
///
/// # Examples
///
/// ```
/// use uproar::{Affinity, Runtime};
///
/// let first = Runtime::capabilities().cpus.into_iter().take(1).collect();
/// let runtime = Runtime::builder().workers(1).affinity(Affinity::Fixed(first)).start().unwrap();
/// # drop(runtime);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Affinity {
    /// The operating system decides.
    #[default]
    None,
    /// Worker number k is bound to the k-th of the CPUs that this program may use, and
    /// from the first one again when there are more workers. Lanes may use all of them.
    BestEffort,
    /// Worker number k is bound to the k-th CPU of this list, and from the first one again
    /// when there are more workers. Lanes may use all of them.
    ///
    /// One that the program may not use is refused: that worker is not bound.
    Fixed(Vec<usize>),
}

/// What this machine offers. From [`Runtime::capabilities`](crate::Runtime::capabilities).
///
/// # Examples
///
/// ```
/// let here = uproar::Runtime::capabilities();
/// assert!(here.parallelism >= 1 && here.lanes);
/// if cfg!(target_os = "linux") {
///     assert!(here.hard_affinity && !here.cpus.is_empty());
/// }
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Capabilities {
    /// Whether a thread that is bound to a CPU runs nowhere else. Where it is `false` the
    /// operating system takes it as a hint, or knows no such thing.
    pub hard_affinity: bool,
    /// The CPUs that this program may use, in the order of their numbers, which may have
    /// gaps. Empty where the operating system does not say.
    pub cpus: Vec<usize>,
    /// How many threads can run at once: at most the number of CPUs, and less where a
    /// quota of CPU time says so. The default number of workers is one less, at least one.
    pub parallelism: usize,
    /// Whether blocking actors get threads of their own.
    pub lanes: bool,
}

pub(super) fn capabilities() -> Capabilities {
    let Before { cpus, parallelism } = Before::here();
    Capabilities {
        hard_affinity: os::HARD,
        cpus,
        parallelism,
        lanes: true,
    }
}

/// How a thread was before it was bound: what a runtime that is made there may use.
#[derive(Clone)]
struct Before {
    cpus: Vec<usize>,
    parallelism: usize,
}

thread_local! {
    static BEFORE: RefCell<Option<Before>> = const { RefCell::new(None) };
}

fn before() -> Option<Before> {
    BEFORE.with_borrow(Clone::clone)
}

impl Before {
    /// How the calling thread is, or was.
    fn here() -> Before {
        before().unwrap_or_else(|| Before {
            cpus: os::current(),
            parallelism: std::thread::available_parallelism().map_or(1, NonZero::get),
        })
    }
}

/// How many threads can run at once; follows the mask and the quota.
pub(super) fn parallelism() -> usize {
    Before::here().parallelism
}

/// A thread that is to be bound.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    Worker(usize),
    /// Worker 0 of `run`: the thread is the caller's.
    Caller,
    Lane,
}

/// The threads of one runtime and their CPUs.
pub(crate) struct Cpus {
    affinity: Affinity,
    /// How the thread was that made the runtime.
    allowed: Option<Before>,
    pub(crate) applied: Count,
    pub(crate) refused: Count,
}

impl Cpus {
    /// For a runtime that the calling thread makes.
    pub(super) fn new(affinity: Affinity) -> Cpus {
        Cpus {
            allowed: (affinity != Affinity::None).then(Before::here),
            affinity,
            applied: Count::default(),
            refused: Count::default(),
        }
    }

    /// Binds the calling thread, if it is to be, until the guard is dropped.
    pub(super) fn bind(&self, thread: Bound) -> Option<Restore> {
        let allowed = self.allowed.as_ref()?;
        let cpus = cpus_for(&self.affinity, &allowed.cpus, thread)?;
        let restore = Restore {
            cpus: os::current(),
            before: before(),
        };
        let bound = if cpus.iter().any(|cpu| !allowed.cpus.contains(cpu)) {
            Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "this program may not use that CPU",
            ))
        } else {
            os::bind(&cpus, matches!(thread, Bound::Caller))
        };
        match bound {
            Ok(()) => {
                BEFORE.set(Some(allowed.clone()));
                self.applied.add_shared(1);
                Some(restore)
            }
            Err(error) => {
                self.refused.add_shared(1);
                events::affinity_refused(&cpus, &error);
                None
            }
        }
    }
}

/// The CPUs that a thread is to be bound to; `None`: it is left as it is.
fn cpus_for(affinity: &Affinity, allowed: &[usize], thread: Bound) -> Option<Vec<usize>> {
    let cpus = match affinity {
        Affinity::None => return None,
        Affinity::BestEffort => allowed,
        Affinity::Fixed(cpus) => cpus,
    };
    if cpus.is_empty() {
        // The OS does not say which there are.
        return Some(Vec::new());
    }
    Some(match thread {
        Bound::Caller => vec![cpus[0]],
        Bound::Worker(number) => vec![cpus[number % cpus.len()]],
        Bound::Lane => {
            let mut cpus = cpus.to_vec();
            // Workers have had theirs refused already.
            if cpus.iter().any(|cpu| allowed.contains(cpu)) {
                cpus.retain(|cpu| allowed.contains(cpu));
            }
            cpus
        }
    })
}

/// Binds a thread as it was bound before.
pub(super) struct Restore {
    cpus: Vec<usize>,
    before: Option<Before>,
}

impl Drop for Restore {
    fn drop(&mut self) {
        let _ = os::bind(&self.cpus, true);
        BEFORE.set(self.before.take());
    }
}

#[cfg(all(test, not(uproar_loom)))]
mod tests;
