use std::future::{Future, poll_fn};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use async_task::Runnable;
use futures::Stream;

use super::block::block_thread;
use super::waiters::{Waiter, Waiters};
use super::{Phase, Shared};
use crate::actor::{Recipient, Timeout};
use crate::mailbox::{Mailbox, NodeBox, Park};
use crate::observe::events;
use crate::process::{Birth, ExitReason, Kind, Placement, Process, ProcessRef};
use crate::scheduler::context;

/// Receives messages of one type outside of actors.
///
/// From [`Handle::inbox`](crate::Handle::inbox). It has a mailbox and a pid as an
/// actor has; what sends to [`address`](Self::address) can't tell the difference. It
/// also is a `Stream`.
///
/// When its runtime has ended nothing comes any more; what has arrived can still be
/// received. Then the `Stream` ends, and [`recv`](Self::recv) waits for ever.
///
/// # Cancel safety
/// A message leaves the inbox only with the call or the poll that returns it.
///
/// # Examples
///
/// ```
/// use uproar::{Runtime, prelude::*};
///
/// let runtime = Runtime::builder().workers(1).start().unwrap();
/// let inbox = runtime.inbox::<String>();
/// let to = inbox.address();
/// runtime.spawn(async move { to.send("ready".to_owned()) });
/// assert_eq!(inbox.recv_timeout(Duration::from_secs(10)).as_deref(), Ok("ready"));
/// assert_eq!(inbox.try_recv(), None);
/// ```
pub struct Inbox<M> {
    process: ProcessRef,
    core: Arc<Core>,
    shared: Arc<Shared>,
    /// What waits for the inbox as a `Stream`.
    stream: Waiter,
    message: PhantomData<fn() -> M>,
}

/// One call that waits. It leaves the line when it is dropped.
struct Receiving<'a, M> {
    inbox: &'a Inbox<M>,
    waiter: Waiter,
}

impl<'a, M: Send + 'static> Receiving<'a, M> {
    fn new(inbox: &'a Inbox<M>) -> Self {
        let waiter = Waiter::default();
        Receiving { inbox, waiter }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<M> {
        self.inbox.poll_recv(&mut self.waiter, cx)
    }
}

impl<M> Drop for Receiving<'_, M> {
    fn drop(&mut self) {
        let waker = self.inbox.core.state().waiters.remove(&self.waiter);
        drop(waker);
    }
}

/// What the inbox and its task's wake-ups share.
#[derive(Default)]
struct Core {
    state: Mutex<State>,
    /// The owner of the mailbox's store is who holds this. [M4]
    owner: Mutex<()>,
}

#[derive(Default)]
struct State {
    /// The task, while it is woken: running it makes it ready for the next wake-up.
    woken: Option<Runnable<Process>>,
    /// Who waits for a message: several may, on several threads.
    waiters: Waiters,
    closed: bool,
}

impl Core {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn own(&self) -> MutexGuard<'_, ()> {
        self.owner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The task's schedule function.
    fn wake(&self, runnable: Runnable<Process>) {
        let mut state = self.state();
        if state.closed {
            drop(state);
            drop(runnable);
            return;
        }
        let before = state.woken.replace(runnable);
        let waiters = state.waiters.take();
        drop(state);
        debug_assert!(before.is_none(), "a task is woken once until it runs");
        waiters.for_each(Waker::wake);
    }
}

impl<M: Send + 'static> Inbox<M> {
    pub(super) fn new(shared: &Arc<Shared>) -> Inbox<M> {
        let core = Arc::new(Core::default());
        let birth = Birth {
            mailbox: Mailbox::unbounded(),
            runtime: Arc::as_ptr(shared).cast(),
            kind: Kind::of::<Inbox<M>, Inbox<M>>(),
            worker: 0,
            placement: Placement::Outside,
            is_main: false,
            parent: None,
            born: 0,
        };
        let woken = Arc::clone(&core);
        let (runnable, task) = async_task::Builder::new()
            .metadata(Process::new(birth))
            .spawn(
                |_| std::future::pending::<()>(),
                move |runnable| woken.wake(runnable),
            );
        task.detach();
        let process = shared.enrol_inbox(runnable);
        Inbox {
            process,
            core,
            shared: Arc::clone(shared),
            stream: Waiter::default(),
            message: PhantomData,
        }
    }

    /// Where to send to it.
    pub fn address(&self) -> Recipient<M> {
        Recipient::new(self.process.clone())
    }

    /// Takes the oldest message if there is one. Never waits.
    pub fn try_recv(&self) -> Option<M> {
        let _own = self.core.own();
        loop {
            // SAFETY: [M4] `owner` is held.
            let node: Option<NodeBox> = unsafe {
                self.process
                    .mailbox
                    .store(|store| store.next_front().map(|candidate| candidate.node))
            };
            let Some(mut node) = node else {
                if !self.process.mailbox.has_incoming() {
                    return None;
                }
                // Control signals do nothing to an inbox.
                // SAFETY: [M4] `owner` is held.
                unsafe { self.process.mailbox.drain(|_, signal| drop(signal)) };
                continue;
            };
            match node.take::<M>() {
                Some(message) => return Some(message),
                None => {
                    // Sent to the bare pid, and of a type that nobody takes here.
                    self.shared.dead_letters.add_shared(1);
                    events::dead_letter(self.process.pid(), (node.vtable().type_name)());
                    let _ending = context::Ending::enter(&ExitReason::NoProcess);
                    drop(node);
                }
            }
        }
    }

    /// Waits for a message.
    ///
    /// Works on any executor, also inside actors. Block a plain thread with
    /// [`recv_timeout`](Self::recv_timeout).
    pub async fn recv(&self) -> M {
        let mut receiving = Receiving::new(self);
        poll_fn(|cx| receiving.poll(cx)).await
    }

    /// Blocks the calling thread until a message is there or the time is over.
    ///
    /// # Errors
    /// [`Timeout`], when the time is over and nothing is there.
    ///
    /// # Panics
    /// On a worker of a runtime, where it would block other actors: use `recv().await`.
    pub fn recv_timeout(&self, limit: Duration) -> Result<M, Timeout> {
        let mut timer = async_io::Timer::after(limit);
        let mut receiving = Receiving::new(self);
        block_thread(poll_fn(|cx| {
            if let Poll::Ready(message) = receiving.poll(cx) {
                return Poll::Ready(Ok(message));
            }
            Pin::new(&mut timer).poll(cx).map(|_| Err(Timeout))
        }))
    }

    fn poll_recv(&self, waiter: &mut Waiter, cx: &mut Context<'_>) -> Poll<M> {
        loop {
            // Run the task first, so that what comes from here on wakes anew.
            let waker = cx.waker().clone();
            let (before, woken) = {
                let mut state = self.core.state();
                (state.waiters.register(waiter, waker), state.woken.take())
            };
            drop(before);
            if let Some(woken) = woken {
                woken.run();
            }
            if let Some(message) = self.try_recv() {
                // The wake-up may have been for others too, and for more messages.
                let (own, others) = {
                    let waiters = &mut self.core.state().waiters;
                    (waiters.remove(waiter), waiters.take())
                };
                drop(own);
                others.for_each(Waker::wake);
                return Poll::Ready(message);
            }
            let _own = self.core.own();
            match self.process.mailbox.incoming.park() {
                Park::Parked | Park::Closed => return Poll::Pending,
                Park::Signals => {}
            }
        }
    }
}

impl<M: Send + 'static> Stream for Inbox<M> {
    type Item = M;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<M>> {
        let mut waiter = std::mem::take(&mut self.stream);
        let polled = self.poll_recv(&mut waiter, cx);
        self.stream = waiter;
        match polled {
            Poll::Ready(message) => Poll::Ready(Some(message)),
            // The waker is in place: an end that comes later wakes it.
            Poll::Pending if self.shared.phase() == Phase::Ended => Poll::Ready(self.try_recv()),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<M> Drop for Inbox<M> {
    fn drop(&mut self) {
        let rest = {
            let _own = self.core.own();
            // SAFETY: [M4] `owner` is held.
            unsafe { self.process.mailbox.close(true) }
        };
        let woken = {
            let mut state = self.core.state();
            state.closed = true;
            (state.woken.take(), state.waiters.take())
        };
        drop(woken);
        drop(self.shared.table.remove(self.process.pid()));
        let _ending = context::Ending::enter(&ExitReason::NoProcess);
        drop(rest);
        // Nobody can be linked to an inbox or watch one.
        if let Some(mut cut) = self.process.end_ties() {
            self.shared.release(&self.process, &cut);
            cut.tell_timers();
        }
    }
}

impl<M> std::fmt::Debug for Inbox<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Inbox({})", self.process.pid())
    }
}
