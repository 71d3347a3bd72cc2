use std::fmt;
use std::num::NonZeroU64;

/// The identity of one actor: small, `Copy`, never reused.
///
/// A `Pid` names an actor for as long as its runtime lives, and stays the name of
/// that one after it has died: a slot that is used again has another generation.
/// In another runtime it names nobody.
///
/// Displayed as `<0.n.m>`: node (0 is the local one), slot, generation.
///
/// # Ordering
/// `Ord` is by runtime, slot, generation; it says nothing about age.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// #[uproar::main]
/// async fn main() {
///     let address = spawn(async { let _: Envelope = receive().await; });
///     assert_eq!(address.pid(), Pid::from(&address));
///     assert!(address.pid().to_string().starts_with("<0."));
///     assert_ne!(address.pid(), self_pid());
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pid {
    /// Runtime in the high half, index in the low one.
    place: u64,
    generation: NonZeroU64,
}

impl Pid {
    pub(crate) const fn new(runtime: u32, index: u32, generation: NonZeroU64) -> Pid {
        Pid {
            place: ((runtime as u64) << 32) | index as u64,
            generation,
        }
    }

    /// A pid that no actor has.
    pub(crate) const fn nobody(runtime: u32) -> Pid {
        Pid::new(runtime, u32::MAX, NonZeroU64::MAX)
    }

    pub(crate) fn runtime(self) -> u32 {
        (self.place >> 32) as u32
    }

    pub(crate) fn generation(self) -> NonZeroU64 {
        self.generation
    }

    pub(crate) fn index(self) -> u32 {
        self.place as u32
    }
}

impl From<&Pid> for Pid {
    fn from(pid: &Pid) -> Pid {
        *pid
    }
}

impl fmt::Display for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Pid::nobody(self.runtime()) {
            return f.write_str("<0.0.0>");
        }
        write!(f, "<0.{}.{}>", self.index(), self.generation)
    }
}

impl fmt::Debug for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

const _: () = assert!(size_of::<Pid>() == 16 && size_of::<Option<Pid>>() == 16);
