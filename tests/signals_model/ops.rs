//! What actors do in a program, and what they learn; and how programs are drawn.

use std::ops::Range;

use proptest::prelude::*;
use uproar::prelude::*;

/// Who, by the number of its spawn.
pub type Id = usize;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reason {
    Normal,
    Shutdown,
    Killed,
    NoProcess,
    Error(u8),
}

impl Reason {
    pub fn of(reason: &ExitReason) -> Reason {
        match reason {
            ExitReason::Normal => Reason::Normal,
            ExitReason::Shutdown => Reason::Shutdown,
            ExitReason::Killed => Reason::Killed,
            ExitReason::NoProcess => Reason::NoProcess,
            ExitReason::Error(error) => Reason::Error(error.to_string().parse().unwrap()),
            other => panic!("{other:?}"),
        }
    }

    pub fn real(self) -> ExitReason {
        match self {
            Reason::Normal => ExitReason::Normal,
            Reason::Shutdown => ExitReason::Shutdown,
            Reason::Killed => ExitReason::Killed,
            Reason::NoProcess => ExitReason::NoProcess,
            Reason::Error(n) => ExitReason::error(n.to_string()),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub enum Op {
    Spawn {
        link: bool,
        monitor: bool,
    },
    Link(Id),
    Unlink(Id),
    Monitor(Id),
    /// Its own monitor with this number, round and round.
    Demonitor(usize),
    /// Another's.
    DemonitorOf(Id, usize),
    Trap(bool),
    Send(Id, u8),
    SendExit(Id, Reason),
    Kill(Id),
    Exit(Reason),
    Return(Reason),
    /// Receives nothing but commands from now on, or all again.
    Hold(bool),
    /// When the step is over, until time passes.
    Sleep,
}

/// What an actor learns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Event {
    Message(u8),
    Exit(Id, Reason),
    /// By the number of its own monitor.
    Down(usize, Id, Reason),
    Demonitored(usize, bool),
    WasTrapping(bool),
}

/// One step: an actor does these in one slice.
#[derive(Clone, Debug)]
pub struct Step {
    pub actor: Id,
    pub ops: Vec<Op>,
    pub time_passes: bool,
}

/// Programs of so many ops. Each op is drawn as one number: the many small choices of a
/// program are what takes the time of a debug build otherwise.
pub fn steps(ops: Range<usize>) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(any::<u64>(), ops).prop_map(|words| {
        let mut steps: Vec<Step> = Vec::new();
        for word in words {
            let [kind, id, reason, n, on, begins, actor, time] = word.to_le_bytes();
            // Steps have two or three ops.
            if begins < 100 || steps.is_empty() {
                steps.push(Step {
                    actor: Id::from(actor % 10),
                    ops: Vec::new(),
                    time_passes: time < 40,
                });
            }
            let step = steps.last_mut().expect("there is one");
            step.ops.push(op(kind, Id::from(id % 10), reason, n, on));
        }
        steps
    })
}

/// Each is as likely as its share of the first number.
fn op(kind: u8, id: Id, reason: u8, n: u8, on: u8) -> Op {
    let reason = match reason % 4 {
        0 => Reason::Normal,
        1 => Reason::Shutdown,
        2 => Reason::Killed,
        _ => Reason::Error(reason / 4 % 3),
    };
    let number = usize::from(n % 4);
    match kind % 32 {
        0..=2 => Op::Spawn {
            link: on & 1 != 0,
            monitor: on & 2 != 0,
        },
        3..=7 => Op::Link(id),
        8..=10 => Op::Unlink(id),
        11..=15 => Op::Monitor(id),
        16..=18 => Op::Demonitor(number),
        19 => Op::DemonitorOf(id, number % 2),
        20..=22 => Op::Trap(on & 1 != 0),
        23 => Op::Send(id, n),
        24..=25 => Op::SendExit(id, reason),
        26 => Op::Kill(id),
        27 => Op::Exit(reason),
        28 => Op::Return(reason),
        29..=30 => Op::Hold(on & 1 != 0),
        _ => Op::Sleep,
    }
}
