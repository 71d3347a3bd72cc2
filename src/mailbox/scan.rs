//! One selective receive at work.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use super::limit::{Deadline, Forever, Limit};
use super::saved::{Cursor, Wants};
use super::slot::{Held, Slot};
use super::store::Candidate;
use super::{Park, Peek};
use crate::process::{Pid, Process};
use crate::scheduler::context;

/// One receive: steps through the mailbox, waits, steps on.
///
/// A step borrows nothing beyond itself, so arms and guards live outside of any
/// await. What has been tested is not tested again: `seen` is the save pointer.
pub struct Scan<L: Limit = Forever> {
    pid: Pid,
    wants: Wants,
    /// The receive has tested every message that arrived up to this number.
    seen: u64,
    wait: Wait,
    limit: L,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// Not waiting.
    No,
    /// The slice's reductions are spent: let others run first.
    Yield,
    Yielded,
    /// Registered under the actor's own waker.
    Task,
    /// Registered under another waker, with this key.
    Own(usize),
    /// The actor's exit is decided: it never goes on.
    Over,
}

/// What a step came to.
#[derive(Debug)]
pub enum Step<A> {
    /// An arm accepted a message, or made something of it.
    Taken(A),
    /// The deadline is past and no message matched.
    TimedOut,
    /// No message matches: await [`Scan::wait`], then step again.
    Wait,
}

impl Scan<Forever> {
    /// Starts a receive of the calling actor.
    ///
    /// # Panics
    /// Outside an actor.
    pub fn new(wants: Wants) -> Self {
        Scan::start(wants, Forever)
    }
}

impl Scan<Deadline> {
    /// Starts a receive that waits at most `timeout`, counted from now.
    ///
    /// # Panics
    /// Outside an actor.
    pub fn with_timeout(wants: Wants, timeout: Duration) -> Self {
        Scan::start(wants, Deadline::after(timeout))
    }
}

impl<L: Limit> Scan<L> {
    #[inline]
    fn start(wants: Wants, limit: L) -> Self {
        Scan {
            pid: context::current(
                "receive",
                "`Inbox::recv`, `Inbox::try_recv` or `Inbox::recv_timeout`",
            )
            .pid(),
            wants,
            seen: 0,
            wait: Wait::No,
            limit,
        }
    }

    /// The same receive with a limit.
    pub(crate) fn limited(self, timeout: Duration) -> Scan<Deadline> {
        assert!(
            self.wait == Wait::No,
            "uproar: set the timeout before the receive is polled"
        );
        Scan::with_timeout(self.wants, timeout)
    }

    #[inline]
    fn process<'a>(&self) -> &'a Process {
        let process = context::current("receive", "`Inbox::recv`");
        if process.pid() != self.pid {
            foreign(self.pid, process.pid());
        }
        process
    }

    /// Gives `test` each message it has not tested, oldest first, until it
    /// returns something.
    #[inline]
    pub fn step<A>(&mut self, mut test: impl FnMut(&mut Slot) -> Option<A>) -> Step<A> {
        let process = self.process();
        match self.wait {
            Wait::No => {}
            // SAFETY: [M4] this thread polls the actor.
            Wait::Task => unsafe {
                process.mailbox.store(|store| store.waits -= 1);
                self.wait = Wait::No;
            },
            _ => self.unregister(process),
        }
        if !context::spend(1) && !self.limit.is_zero() {
            self.wait = Wait::Yield;
            return Step::Wait;
        }
        // With nothing saved for this receive, all that is to be tested is new.
        loop {
            match self.next_new(process) {
                New::Slot(mut slot) => {
                    if let Some(taken) = test(&mut slot) {
                        context::count_message();
                        return Step::Taken(taken);
                    }
                    process.skip(slot, self.seen);
                }
                New::Nothing => break,
                New::Other => {
                    let mut taken = None;
                    self.step_on(process, &mut |slot| {
                        taken = test(slot);
                        taken.is_some()
                    });
                    if let Some(taken) = taken {
                        return Step::Taken(taken);
                    }
                    break;
                }
            }
        }
        if self.wait != Wait::Over && self.limit.is_over() {
            Step::TimedOut
        } else {
            Step::Wait
        }
    }

    /// The next new message that the receive wants, where new ones are all that
    /// there is to look at.
    #[inline]
    fn next_new(&mut self, process: &Process) -> New {
        loop {
            // SAFETY: [M4] this thread polls the actor, and no user code runs in here.
            let Some(store) = (unsafe { process.mailbox.unlocked() }) else {
                return New::Other;
            };
            if !store.is_plain() && store.exit().is_some() {
                // [R27] no receive takes anything any more.
                self.wait = Wait::Over;
                return New::Nothing;
            }
            if self.seen < store.arrivals() {
                // What has arrived before: nothing to test again, or `step_on`'s.
                if !store.is_plain() && store.must_look_back(self.wants, self.seen) {
                    return New::Other;
                }
                self.seen = store.arrivals();
            }
            let Some(node) = store.pop_front() else {
                match process.mailbox.incoming.peek() {
                    Peek::Nothing => return New::Nothing,
                    Peek::Signals => {
                        store.await_batch();
                        if !process.drain() {
                            continue;
                        }
                    }
                    Peek::Closed => {}
                }
                self.wait = Wait::Over;
                return New::Nothing;
            };
            self.seen = store.arrivals();
            let vtable = node.vtable();
            if self.wants.wants(vtable.type_id) {
                if vtable.notice {
                    store.notice_in_hand(true);
                } else if store.bounded {
                    // Under a matcher it counts as taken (R60).
                    process.mailbox.taken();
                }
                return New::Slot(Slot::new(node));
            }
            if store.skip(node.into_node(), self.seen) {
                process.wake_receives();
            }
        }
    }

    /// The step in full: saved messages, `drop_oldest`, exits. Ends when `test` takes one.
    #[inline(never)]
    fn step_on(&mut self, process: &Process, test: &mut dyn FnMut(&mut Slot) -> bool) {
        let mut begun = Begun {
            process,
            cursor: None,
        };
        while let Some(candidate) = begun.next(self) {
            let mut held = Held::new(process, candidate);
            if test(&mut held.slot) {
                held.accept();
                return;
            }
            held.refuse();
        }
    }

    /// Waits until a step may find something.
    #[inline]
    pub fn wait(&mut self) -> Waiting<'_, L> {
        Waiting { scan: self }
    }

    #[inline]
    pub(crate) fn poll_wait(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        // Woken, or polled for another's sake: look again.
        if matches!(self.wait, Wait::Yielded | Wait::Task | Wait::Own(_)) {
            return Poll::Ready(());
        }
        self.begin_wait(cx)
    }

    #[inline(never)]
    fn begin_wait(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        match self.wait {
            Wait::Yield => {
                self.wait = Wait::Yielded;
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            Wait::Over => return Poll::Pending,
            _ => {}
        }
        // The step before this, in the same poll, has seen whose receive it is.
        let process = context::current("receive", "`Inbox::recv`");
        match process.mailbox.incoming.park() {
            Park::Signals => return Poll::Ready(()),
            Park::Closed => {
                self.wait = Wait::Over;
                return Poll::Pending;
            }
            Park::Parked => {}
        }
        self.limit.arm(cx);
        // A waker of another kind is cloned out here: that may be user code.
        let other = (!process.is_own_waker(cx.waker())).then(|| cx.waker().clone());
        // SAFETY: [M4] this thread polls the actor.
        self.wait = unsafe {
            process.mailbox.store(|store| match other {
                None => {
                    store.waits += 1;
                    Wait::Task
                }
                Some(waker) => Wait::Own(store.add_waiter(waker)),
            })
        };
        Poll::Pending
    }

    #[cold]
    fn unregister(&mut self, process: &Process) {
        // SAFETY: [M4] this thread polls the actor.
        match std::mem::replace(&mut self.wait, Wait::No) {
            Wait::Task => unsafe { process.mailbox.store(|store| store.waits -= 1) },
            Wait::Own(key) => {
                // SAFETY: as above.
                let waker = unsafe { process.mailbox.store(|store| store.remove_waiter(key)) };
                drop(waker);
            }
            Wait::Over => self.wait = Wait::Over,
            Wait::No | Wait::Yield | Wait::Yielded => {}
        }
    }
}

impl<L: Limit> Drop for Scan<L> {
    fn drop(&mut self) {
        if !matches!(self.wait, Wait::Task | Wait::Own(_)) {
            return;
        }
        // In another actor's hands there is nothing to do: the registration goes
        // with the actor that made it, and wakes it in vain at most.
        let Some(process) = context::try_current().filter(|p| p.pid() == self.pid) else {
            return;
        };
        self.unregister(process);
    }
}

#[cold]
fn foreign(made_by: Pid, polled_by: Pid) -> ! {
    panic!(
        "uproar: a `receive` made by {made_by} was polled by {polled_by}; \
         each actor awaits receives of its own"
    )
}

/// The future of [`Scan::wait`].
pub struct Waiting<'a, L: Limit> {
    scan: &'a mut Scan<L>,
}

impl<L: Limit> Future for Waiting<'_, L> {
    type Output = ();

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.scan.poll_wait(cx)
    }
}

// A wait pins nothing.
impl<L: Limit> Unpin for Waiting<'_, L> {}

/// A step that has begun: where it stands.
struct Begun<'a> {
    process: &'a Process,
    /// Set while the step walks through saved messages.
    cursor: Option<Cursor>,
}

impl Begun<'_> {
    /// The next message to test. Saved ones come first: they are older. Messages
    /// of the front that the receive does not want are saved on the way.
    fn next<L: Limit>(&mut self, scan: &mut Scan<L>) -> Option<Candidate> {
        loop {
            // SAFETY: [M4] this thread polls the actor, and no user code runs in here.
            let found = unsafe {
                self.process.mailbox.store(|store| {
                    if store.exit().is_some() {
                        return Found::Exit;
                    }
                    if scan.seen < store.arrivals() {
                        if store.has_saved() {
                            let cursor = self.cursor.get_or_insert_with(|| Cursor::new(scan.seen));
                            if let Some(candidate) = store.next_saved(scan.wants, cursor) {
                                return Found::Candidate(candidate);
                            }
                            self.cursor = None;
                        }
                        scan.seen = store.arrivals();
                    }
                    match store.next_front() {
                        Some(candidate) if scan.wants.wants(candidate.node.vtable().type_id) => {
                            scan.seen = candidate.arrival;
                            Found::Candidate(candidate)
                        }
                        Some(other) => {
                            scan.seen = other.arrival;
                            store.refuse(other);
                            Found::Other {
                                skipped: store.waits > 0 || store.has_waiters(),
                            }
                        }
                        None => Found::Nothing,
                    }
                })
            };
            match found {
                Found::Candidate(candidate) => return Some(candidate),
                Found::Other { skipped: false } => {}
                Found::Other { skipped: true } => self.process.wake_receives(),
                Found::Exit => {
                    scan.wait = Wait::Over;
                    return None;
                }
                Found::Nothing => {
                    if self.process.drain() {
                        scan.wait = Wait::Over;
                        return None;
                    }
                    // SAFETY: [M4] as above.
                    if !unsafe { self.process.mailbox.store(|store| store.has_front()) } {
                        return None;
                    }
                }
            }
        }
    }
}

/// What [`Scan::next_new`] found.
enum New {
    Slot(Slot),
    Nothing,
    /// Saved messages or `drop_oldest`: `step_on` goes on.
    Other,
}

enum Found {
    Candidate(Candidate),
    Other {
        skipped: bool,
    },
    /// The actor's exit is decided.
    Exit,
    Nothing,
}

#[cfg(all(test, not(uproar_loom)))]
#[path = "scan/tests.rs"]
mod tests;
