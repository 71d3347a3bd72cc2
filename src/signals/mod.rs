//! Signals other than messages, and the rules that say what they do.
//!
//! A signal travels as a node of the receiver's incoming queue, in its place
//! among the messages, and is acted on by whoever holds the consumer right. This
//! part knows no threads and no queues: it decides, the process carries out.
//!
//! `[L1]` A signal is judged by what holds when it is received, not when it is sent:
//! whether its link or monitor is still there, and whether the receiver traps exits.

mod notice;

pub use notice::{Down, Exit, MonitorRef};

use crate::process::{ExitReason, Pid};

/// A control signal, as it lies in the incoming queue.
#[derive(Debug)]
pub(crate) enum Signal {
    /// An exit signal.
    Exit {
        from: Pid,
        reason: ExitReason,
        /// By the link with this number, if it comes through one.
        link: Option<u64>,
    },
    /// End with `Killed`, whatever the receiver would rather do.
    Kill,
    /// A monitored actor has ended.
    Down {
        /// The number of the receiver's monitor.
        monitor: u64,
        pid: Pid,
        reason: ExitReason,
    },
}

/// Where an exit signal comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// A linked actor has ended.
    Link,
    /// Someone else has sent it.
    Sent,
    /// The receiver has sent it to itself.
    SentToSelf,
}

/// What the receiver of a signal has asked for.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Wishes {
    /// To get exit signals as messages.
    pub(crate) trap_exit: bool,
    /// To end in its own time when it is told to shut down.
    pub(crate) graceful_stop: bool,
}

/// What an exit signal does to its receiver.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    /// Nothing.
    Ignored,
    /// The receiver gets it as a message, [`Exit`].
    Notice,
    /// The receiver is to end by itself, soon.
    Stops,
    /// The receiver ends with this reason.
    Ends,
}

/// The rule for exit signals (R23, R24, R26). A kill has none: it ends.
pub(crate) fn decide(reason: &ExitReason, origin: Origin, wishes: Wishes) -> Effect {
    match (reason, origin) {
        // A supervisor that stops a struct actor, whether that traps exits or not.
        (ExitReason::Shutdown, Origin::Sent | Origin::SentToSelf) if wishes.graceful_stop => {
            Effect::Stops
        }
        _ if wishes.trap_exit => Effect::Notice,
        (ExitReason::Shutdown, Origin::Link) if wishes.graceful_stop => Effect::Stops,
        (ExitReason::Normal, Origin::Link | Origin::Sent) => Effect::Ignored,
        _ => Effect::Ends,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [R23] [R24] [R26], every cell: by reason, origin, trapping, graceful stop.
    #[test]
    fn the_table_of_effects() {
        use Effect::{Ends, Ignored, Notice, Stops};
        use ExitReason::{Killed, NoConnection, NoProcess, Normal, Shutdown};
        let error = ExitReason::error("no disk");
        let failures = [&Killed, &NoProcess, &NoConnection, &error];
        let wishes = |trap_exit, graceful_stop| Wishes {
            trap_exit,
            graceful_stop,
        };
        //           origin               plain     traps   graceful  both
        let normal = [
            (Origin::Link, [Ignored, Notice, Ignored, Notice]),
            (Origin::Sent, [Ignored, Notice, Ignored, Notice]),
            (Origin::SentToSelf, [Ends, Notice, Ends, Notice]),
        ];
        let shutdown = [
            (Origin::Link, [Ends, Notice, Stops, Notice]),
            (Origin::Sent, [Ends, Notice, Stops, Stops]),
            (Origin::SentToSelf, [Ends, Notice, Stops, Stops]),
        ];
        let failure = [
            (Origin::Link, [Ends, Notice, Ends, Notice]),
            (Origin::Sent, [Ends, Notice, Ends, Notice]),
            (Origin::SentToSelf, [Ends, Notice, Ends, Notice]),
        ];
        let check = |reason: &ExitReason, table: &[(Origin, [Effect; 4])]| {
            for &(origin, effects) in table {
                let got = [
                    decide(reason, origin, wishes(false, false)),
                    decide(reason, origin, wishes(true, false)),
                    decide(reason, origin, wishes(false, true)),
                    decide(reason, origin, wishes(true, true)),
                ];
                assert_eq!(got, effects, "{reason} {origin:?}");
            }
        };
        check(&Normal, &normal);
        check(&Shutdown, &shutdown);
        for reason in failures {
            check(reason, &failure);
        }
    }
}
