//! Signals other than messages, and the rules that say what they do.
//!
//! A signal travels as a node of the receiver's incoming queue, in its place
//! among the messages, and is acted on by whoever holds the consumer right. This
//! part knows no threads and no queues: it decides, the process carries out.

use crate::process::ExitReason;

/// A control signal, as it lies in the incoming queue.
#[derive(Debug)]
pub(crate) enum Signal {
    /// End with this reason.
    Exit(ExitReason),
    /// End with `Killed`, whatever the receiver would rather do.
    Kill,
}

/// What the receiver of a signal has asked for.
#[derive(Clone, Copy, Default)]
pub(crate) struct Wishes {
    /// To end in its own time when it is told to shut down.
    pub(crate) graceful_stop: bool,
}

/// What a signal does to its receiver.
#[must_use]
#[derive(Debug, PartialEq)]
pub(crate) enum Effect {
    /// Nothing.
    Ignored,
    /// The receiver is to end by itself, soon.
    Stops,
    /// The receiver ends with this reason.
    Ends(ExitReason),
}

/// The rule for signals that reach an actor (R24, R25, without trapping).
pub(crate) fn decide(signal: Signal, wishes: Wishes) -> Effect {
    match signal {
        Signal::Exit(ExitReason::Normal) => Effect::Ignored,
        Signal::Exit(ExitReason::Shutdown) if wishes.graceful_stop => Effect::Stops,
        Signal::Exit(reason) => Effect::Ends(reason),
        Signal::Kill => Effect::Ends(ExitReason::Killed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_effects() {
        use ExitReason::{Killed, NoConnection, NoProcess, Normal, Shutdown};
        for graceful_stop in [false, true] {
            let decide = |signal| decide(signal, Wishes { graceful_stop });
            assert_eq!(decide(Signal::Exit(Normal)), Effect::Ignored);
            for reason in [Killed, NoProcess, NoConnection] {
                assert_eq!(decide(Signal::Exit(reason.clone())), Effect::Ends(reason));
            }
            assert_eq!(decide(Signal::Kill), Effect::Ends(Killed));
            let shutdown = decide(Signal::Exit(Shutdown));
            match graceful_stop {
                false => assert_eq!(shutdown, Effect::Ends(Shutdown)),
                true => assert_eq!(shutdown, Effect::Stops),
            }
        }
    }
}
