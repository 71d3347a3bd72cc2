//! Time, in the words users type.

mod interval;
mod limit;
mod sleep;
mod timer;

pub use interval::{Interval, interval};
pub use limit::{WithTimeout, timeout};
pub use sleep::{Sleep, sleep, sleep_until};
pub use timer::{Target, Timer, send_after, send_after_ticks, send_interval, send_interval_ticks};
pub(crate) use timer::{every as send_every, once as send_once};
