use std::fmt;
use std::ops::BitOr;

/// What a source is waited for, and what it turned out to be ready for.
///
/// # Examples
///
/// ```
/// use uproar::Interest;
///
/// let both = Interest::READABLE | Interest::WRITABLE;
/// assert!(both.is_readable() && both.is_writable());
/// assert!(both.contains(Interest::WRITABLE));
/// assert!(!Interest::READABLE.contains(both));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Interest(u8);

impl Interest {
    pub(crate) const NOTHING: Interest = Interest(0);
    /// Something can be read or accepted, or the other side has hung up.
    pub const READABLE: Interest = Interest(1);
    /// Something can be written, a connection is made, or an error is to be fetched.
    pub const WRITABLE: Interest = Interest(2);

    pub(crate) fn new(readable: bool, writable: bool) -> Interest {
        Interest(u8::from(readable) | u8::from(writable) << 1)
    }

    /// Whether [`READABLE`](Self::READABLE) is in it.
    pub fn is_readable(self) -> bool {
        self.contains(Interest::READABLE)
    }

    /// Whether [`WRITABLE`](Self::WRITABLE) is in it.
    pub fn is_writable(self) -> bool {
        self.contains(Interest::WRITABLE)
    }

    /// Whether all of `other` is in it.
    pub fn contains(self, other: Interest) -> bool {
        self.0 & other.0 == other.0
    }

    /// What is in both.
    pub(crate) fn and(self, other: Interest) -> Interest {
        Interest(self.0 & other.0)
    }

    pub(crate) fn is_nothing(self) -> bool {
        self.0 == 0
    }
}

impl BitOr for Interest {
    type Output = Interest;

    fn bitor(self, other: Interest) -> Interest {
        Interest(self.0 | other.0)
    }
}

impl fmt::Debug for Interest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.is_readable(), self.is_writable()) {
            (true, true) => "READABLE | WRITABLE",
            (true, false) => "READABLE",
            (false, true) => "WRITABLE",
            (false, false) => "NOTHING",
        })
    }
}
