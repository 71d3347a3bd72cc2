//! The time that a receive has.

use std::task::Context;
use std::time::Duration;

use crate::reactor::Alarm;

/// How long a receive waits.
pub trait Limit: sealed::Sealed {
    #[doc(hidden)]
    fn is_over(&self) -> bool;
    #[doc(hidden)]
    fn is_zero(&self) -> bool;
    #[doc(hidden)]
    fn arm(&mut self, cx: &mut Context<'_>);
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Forever {}
    impl Sealed for super::Deadline {}
}

/// Without limit.
#[derive(Debug)]
pub struct Forever;

impl Limit for Forever {
    fn is_over(&self) -> bool {
        false
    }

    fn is_zero(&self) -> bool {
        false
    }

    fn arm(&mut self, _: &mut Context<'_>) {}
}

/// Until a moment that is fixed when the receive starts.
pub struct Deadline {
    zero: bool,
    alarm: Alarm,
}

impl Deadline {
    /// So long from now. What is beyond what the clock can tell is never.
    pub(super) fn after(timeout: Duration) -> Deadline {
        Deadline {
            zero: timeout.is_zero(),
            alarm: Alarm::after(timeout),
        }
    }
}

impl Limit for Deadline {
    fn is_over(&self) -> bool {
        self.zero || self.alarm.is_due()
    }

    fn is_zero(&self) -> bool {
        self.zero
    }

    fn arm(&mut self, cx: &mut Context<'_>) {
        self.alarm.arm(cx);
    }
}
