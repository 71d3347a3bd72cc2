//! What the runtime knows of one actor.
//!
//! A process is the metadata of the actor's task, so task, process and future are
//! one allocation, and a reference to the process is a reference to the task.
//!
//! * `[P1]` The process lives as long as its task's memory: a [`ProcessRef`] owns one
//!   reference of the task, and so does the table until the end.
//! * `[P2]` Only the thread that runs the task's `Runnable` is the owner.
//! * `[P3]` An unfinished task's runtime is alive: runtimes wait for their tasks
//!   before they go.
//!
//! This part knows the mailbox and the signals. It knows no threads: who runs it
//! and where is the scheduler's business.

mod act;
mod exit;
mod kind;
mod long;
mod names;
mod pid;
mod reference;
#[cfg(all(test, not(uproar_loom)))]
pub(crate) mod sample;
mod slice;
mod table;
mod ties;

pub use exit::{ExitError, ExitReason, Panicked};
pub(crate) use exit::{contain, note_panic_locations};
pub(crate) use kind::Kind;
pub(crate) use names::{Names, Refusal};
pub use pid::Pid;
pub(crate) use reference::ProcessRef;
pub(crate) use table::Table;
use ties::Ties;
pub(crate) use ties::{Beyond, Cut, Tally, Tied, Unnamable};

use std::cell::UnsafeCell;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU64, Ordering};
use std::task::Waker;
use std::time::Duration;

use crate::mailbox::{Batch, Mailbox, MailboxState};

/// Where an actor may run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Placement {
    /// On any worker; idle ones steal it.
    Normal,
    /// On one worker for life.
    Pinned,
    /// On any lane; beyond their number it waits in line.
    Blocking,
    /// On one lane for life.
    Dedicated,
    /// On no worker: an `Inbox`, whose owner is its holder.
    Outside,
}

impl Placement {
    /// Whether it may block the thread that it runs on.
    pub(crate) fn is_on_lane(self) -> bool {
        matches!(self, Placement::Blocking | Placement::Dedicated)
    }
}

/// Where an actor is in its life.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum State {
    Starting,
    Runnable,
    Running,
    /// For a message.
    WaitingMessage,
    WaitingIo,
    WaitingTime,
    /// For something of another library's, or for nothing.
    WaitingOther,
    Exiting,
    Exited,
}

impl State {
    const ALL: [State; 9] = [
        State::Starting,
        State::Runnable,
        State::Running,
        State::WaitingMessage,
        State::WaitingIo,
        State::WaitingTime,
        State::WaitingOther,
        State::Exiting,
        State::Exited,
    ];
}

#[repr(C)]
pub struct Process {
    pub(crate) mailbox: MailboxState<Record>,
    pid: UnsafeCell<MaybeUninit<Pid>>,
}

/// What is mostly read.
pub struct Record {
    /// The task's own waker. It holds no reference, or the task would keep itself.
    waker: UnsafeCell<MaybeUninit<ManuallyDrop<Waker>>>,
    /// The runtime, as the runtime part knows it. [P3]
    runtime: *const (),
    kind: Kind,
    /// The worker it ran on last, or is pinned to; the lane that is its own.
    worker: AtomicU16,
    state: AtomicU8,
    /// See [`flag`].
    flags: AtomicU8,
    /// A control signal has been queued since the last look.
    urgent: AtomicBool,
    pub(crate) placement: Placement,
    /// Its end is the end of `run`.
    pub(crate) is_main: bool,
    /// When it was spawned, in sixteenths of a second since the start of its runtime:
    /// enough for eight years.
    born: u32,
    /// Slices in the high half, reductions spent in them in the low one. When one of them
    /// is half full, both are moved to `ties`.
    tally: AtomicU64,
    parent: Option<Parent>,
    /// What goes when it goes. Keeps the ends of the mailbox apart, too.
    ties: Ties,
}

/// Each is set once and stays, but for `TRAP_EXIT` and `LONG`.
mod flag {
    /// A kill is on its way: for everyone else it is dead.
    pub(super) const DOOMED: u8 = 1;
    /// Its runtime shuts down: only actors of that runtime may still send to it.
    pub(super) const SECLUDED: u8 = 1 << 1;
    /// It has asked to end in its own time when told to shut down. The owner's.
    pub(super) const GRACEFUL_STOP: u8 = 1 << 2;
    /// It has been told. The owner's.
    pub(super) const STOPPING: u8 = 1 << 3;
    /// It gets exit signals as messages. The owner's.
    pub(super) const TRAP_EXIT: u8 = 1 << 4;
    /// It is stuck in its own code, and has been counted dead. (R31)
    pub(super) const GIVEN_UP: u8 = 1 << 5;
    /// Its mailbox is too long, and a warning has said so.
    pub(super) const LONG: u8 = 1 << 6;
}

const _: () = assert!(MailboxState::<Record>::APART);
// A million of them are to be had: see the figures of `benches/peers`, workload `idle`.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Process>() <= 152);

impl std::ops::Deref for Process {
    type Target = Record;

    #[inline]
    fn deref(&self) -> &Record {
        &self.mailbox.between
    }
}

// SAFETY: as for `Process`.
unsafe impl Sync for Record {}
// SAFETY: as above.
unsafe impl Send for Record {}

// SAFETY: `waker` and `pid` are written before anyone else can reach the process,
// `runtime` is a pointer that [P3] speaks of, the rest is `Sync`.
unsafe impl Sync for Process {}
// SAFETY: as above.
unsafe impl Send for Process {}

/// A pid of the same runtime, with less room.
#[derive(Clone, Copy)]
#[repr(Rust, packed(4))]
struct Parent {
    index: u32,
    generation: NonZeroU64,
}

/// Workers are counted in 16 bits.
fn worker_number(worker: usize) -> u16 {
    debug_assert!(worker <= usize::from(u16::MAX), "fewer than 2^16 workers");
    worker as u16
}

/// What a process is made from.
pub(crate) struct Birth {
    pub(crate) mailbox: Mailbox,
    pub(crate) runtime: *const (),
    pub(crate) kind: Kind,
    pub(crate) worker: usize,
    pub(crate) placement: Placement,
    pub(crate) is_main: bool,
    pub(crate) parent: Option<Pid>,
    /// How old its runtime is, in sixteenths of a second.
    pub(crate) born: u32,
}

impl Process {
    pub(crate) fn new(birth: Birth) -> Process {
        Process {
            mailbox: MailboxState::new(
                birth.mailbox,
                Record {
                    waker: UnsafeCell::new(MaybeUninit::uninit()),
                    runtime: birth.runtime,
                    kind: birth.kind,
                    worker: AtomicU16::new(worker_number(birth.worker)),
                    state: AtomicU8::new(State::Starting as u8),
                    flags: AtomicU8::new(0),
                    urgent: AtomicBool::new(false),
                    placement: birth.placement,
                    is_main: birth.is_main,
                    born: birth.born,
                    tally: AtomicU64::new(0),
                    parent: birth.parent.map(|pid| Parent {
                        index: pid.index(),
                        generation: pid.generation(),
                    }),
                    ties: Ties::new(),
                },
            ),
            pid: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// Sets the waker.
    ///
    /// # Safety
    /// Once, before anyone else can reach the process.
    pub(crate) unsafe fn set_waker(&self, waker: &Waker) {
        // SAFETY: nobody reads it yet. The copy holds no reference [P1]: it is
        // used only while the process, and so the task, is alive.
        unsafe { (*self.waker.get()).write(ManuallyDrop::new(std::ptr::read(waker))) };
    }

    /// Sets the pid.
    ///
    /// # Safety
    /// As for [`set_waker`](Self::set_waker).
    pub(crate) unsafe fn set_pid(&self, pid: Pid) {
        // SAFETY: by the contract.
        unsafe { (*self.pid.get()).write(pid) };
    }

    #[inline]
    pub(crate) fn pid(&self) -> Pid {
        // SAFETY: written before the process could be reached.
        unsafe { (*self.pid.get()).assume_init() }
    }

    #[inline]
    pub(crate) fn waker(&self) -> &Waker {
        // SAFETY: as for `pid`.
        unsafe { (*self.waker.get()).assume_init_ref() }
    }

    #[inline]
    pub(crate) fn is_own_waker(&self, waker: &Waker) -> bool {
        self.waker().will_wake(waker)
    }

    pub(crate) fn runtime(&self) -> *const () {
        self.runtime
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    pub(crate) fn type_name(&self) -> &'static str {
        self.kind.type_name()
    }

    #[inline]
    pub(crate) fn worker(&self) -> usize {
        self.worker.load(Ordering::Relaxed) as usize
    }

    #[inline]
    pub(crate) fn set_worker(&self, worker: usize) {
        if self.worker() != worker {
            self.worker.store(worker_number(worker), Ordering::Relaxed);
        }
    }

    #[inline]
    pub(crate) fn set_state(&self, state: State) {
        self.state.store(state as u8, Ordering::Relaxed);
    }

    pub(crate) fn state(&self) -> State {
        State::ALL[usize::from(self.state.load(Ordering::Relaxed))]
    }

    /// Whether it can still do something for others.
    pub(crate) fn is_alive(&self) -> bool {
        self.flags.load(Ordering::Acquire) & flag::DOOMED == 0
            && !self.mailbox.incoming.is_closed()
            && !matches!(self.state(), State::Exiting | State::Exited)
    }

    #[inline]
    fn has(&self, flag: u8) -> bool {
        self.flags.load(Ordering::Relaxed) & flag != 0
    }

    fn set(&self, flag: u8) {
        self.flags.fetch_or(flag, Ordering::AcqRel);
    }

    /// Refuses what outsiders send, from now on.
    pub(crate) fn seclude(&self) {
        self.set(flag::SECLUDED);
    }

    /// Whether it refuses what outsiders send.
    #[inline]
    pub(crate) fn is_secluded(&self) -> bool {
        self.has(flag::SECLUDED)
    }

    /// From now on `Shutdown` sets [`is_stopping`](Self::is_stopping), and its own code
    /// does the rest. For the owner.
    pub(crate) fn stop_gracefully(&self) {
        self.set(flag::GRACEFUL_STOP);
    }

    /// Whether it has been told to end in its own time, be it a moment ago. For the owner.
    #[inline]
    pub(crate) fn is_stopping(&self) -> bool {
        if self.is_urgent() {
            self.drain();
        }
        self.has(flag::STOPPING)
    }

    /// Counts it dead for everyone else, from now on.
    pub(crate) fn doom(&self) {
        self.set(flag::DOOMED);
    }

    /// Whether exit signals come as messages from now on. For the owner. What it was.
    pub(crate) fn set_trap_exit(&self, trap: bool) -> bool {
        let before = if trap {
            self.flags.fetch_or(flag::TRAP_EXIT, Ordering::Relaxed)
        } else {
            self.flags.fetch_and(!flag::TRAP_EXIT, Ordering::Relaxed)
        };
        before & flag::TRAP_EXIT != 0
    }

    /// Ends the actor with this reason, at the end of the slice, unless a signal that has
    /// come before ends it. For the owner.
    pub(crate) fn decide_exit(&self, reason: ExitReason) {
        self.drain();
        // SAFETY: [M4][P2] the caller is the owner.
        unsafe { self.mailbox.store(|store| store.decide_exit(reason)) }
    }

    /// Takes a `Down` or an `Exit` back that has not been received. For the owner.
    pub(crate) fn take_back_notices<N: 'static>(&self, which: impl Fn(&N) -> bool) {
        // SAFETY: [M4][P2] the caller is the owner.
        let found = unsafe { self.mailbox.extract_notices(which) };
        drop(found);
    }

    /// Counts it dead although it doesn't come back from its own code.
    pub(crate) fn give_up(&self) {
        self.doom();
        self.set(flag::GIVEN_UP);
    }

    /// Whether it has been counted dead in the middle of its code.
    #[inline]
    pub(crate) fn is_given_up(&self) -> bool {
        self.has(flag::GIVEN_UP)
    }

    /// What the record has no room for.
    pub(crate) fn beyond(&self) -> Beyond {
        let mut beyond = self.ties.beyond();
        beyond.tally += Tally::from(self.tally.load(Ordering::Relaxed));
        beyond
    }

    /// Takes back what has this mark and has not been received. For the owner.
    pub(crate) fn take_back(&self, mark: *const ()) -> Batch {
        self.drain();
        // SAFETY: [M4][P2] the caller is the owner.
        unsafe { self.mailbox.extract(mark) }
    }

    /// Ties a timer to it, which is told when it ends. `None` if it has.
    pub(crate) fn tie(&self, timer: Arc<dyn Tied>) -> Option<usize> {
        self.ties.tie(timer)
    }

    /// Takes a tie back.
    pub(crate) fn untie(&self, tie: usize) {
        self.ties.untie(tie);
    }

    /// Ends its ties: what they were, to be told by the caller. `None` when that has been
    /// another's to do. Timers are told when the mailbox is closed, the rest when the actor
    /// has left the table.
    #[must_use]
    pub(crate) fn end_ties(&self) -> Option<Cut> {
        self.ties.end()
    }

    /// Its parent, unless it was spawned from outside.
    pub(crate) fn parent(&self) -> Option<Pid> {
        let Parent { index, generation } = self.parent?;
        Some(Pid::new(self.pid().runtime(), index, generation))
    }

    /// When it was spawned, since the start of its runtime.
    pub(crate) fn born(&self) -> Duration {
        Duration::from_millis(u64::from(self.born) * 1000 / 16)
    }
}
