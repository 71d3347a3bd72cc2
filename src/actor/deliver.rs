use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::address::{SendError, try_send};
use crate::mailbox::{Pushed, Room, Ticket};
use crate::process::Process;
use crate::scheduler::context;

/// A message that waits for room. From [`Address::deliver`](super::Address::deliver).
#[must_use = "a `deliver` does nothing until it is awaited; use `send` to send without waiting"]
pub struct Deliver<'a, M> {
    process: &'a Process,
    delivery: Delivery<M>,
}

// Nothing in it is pinned.
impl<M> Unpin for Deliver<'_, M> {}

impl<'a, M: Send + 'static> Deliver<'a, M> {
    #[inline]
    pub(super) fn new(process: &'a Process, message: M) -> Self {
        Deliver {
            process,
            delivery: Delivery::new(message),
        }
    }
}

impl<M: Send + 'static> Future for Deliver<'_, M> {
    type Output = Result<(), SendError<M>>;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        this.delivery.poll(this.process, cx)
    }
}

impl<M> Drop for Deliver<'_, M> {
    #[inline]
    fn drop(&mut self) {
        self.delivery.leave(self.process);
    }
}

/// A message and its place in the queue for room. Whoever has it leaves the queue
/// when it is given up.
pub(super) struct Delivery<M> {
    message: Option<M>,
    ticket: Option<Ticket>,
}

impl<M> Delivery<M> {
    #[inline]
    pub(super) fn new(message: M) -> Self {
        Delivery {
            message: Some(message),
            ticket: None,
        }
    }

    /// Leaves the queue.
    #[inline]
    pub(super) fn leave(&mut self, process: &Process) {
        if let (Some(ticket), Some(bound)) = (self.ticket.take(), &process.mailbox.bound) {
            bound.leave(ticket);
        }
    }
}

impl<M: Send + 'static> Delivery<M> {
    /// Sends the message into a place that is reserved.
    fn send_reserved(&mut self, process: &Process) -> Result<(), SendError<M>> {
        let message = self.message.take().expect("a deliver sends once");
        match process.mailbox.push(message) {
            Ok(Pushed::Queued) => Ok(()),
            Ok(Pushed::Wake) => {
                process.waker().wake_by_ref();
                Ok(())
            }
            Err(message) => Err(SendError::Gone(message)),
        }
    }

    #[inline]
    pub(super) fn poll(
        &mut self,
        process: &Process,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), SendError<M>>> {
        let this = self;
        if !context::spend(1) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        if this.ticket.is_none() {
            let message = this
                .message
                .take()
                .expect("uproar: a `Deliver` was polled after it had returned");
            match try_send(process, message) {
                Ok(()) => return Poll::Ready(Ok(())),
                Err(SendError::Full(message)) => {
                    let to_self =
                        context::try_current().is_some_and(|caller| caller.pid() == process.pid());
                    if to_self {
                        return Poll::Ready(Err(SendError::Full(message)));
                    }
                    this.message = Some(message);
                }
                Err(gone) => return Poll::Ready(Err(gone)),
            }
        }
        let bound = process.mailbox.bound.as_ref();
        let bound = bound.expect("only a bounded mailbox is ever full");
        match bound.wait(this.ticket.take(), cx.waker()) {
            Room::Reserved => Poll::Ready(this.send_reserved(process)),
            Room::Wait(ticket) => {
                this.ticket = Some(ticket);
                Poll::Pending
            }
            Room::Closed => {
                let message = this.message.take().expect("it has not been sent");
                Poll::Ready(Err(SendError::Gone(message)))
            }
        }
    }
}
