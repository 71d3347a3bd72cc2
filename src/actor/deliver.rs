use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::address::{SendError, try_send};
use crate::mailbox::{NodeBox, Pushed, Room, Ticket};
use crate::process::ProcessRef;
use crate::scheduler::context;

/// A message that waits for room. From [`Address::deliver`](super::Address::deliver).
#[must_use = "a `deliver` does nothing until it is awaited; use `send` to send without waiting"]
pub struct Deliver<M> {
    process: ProcessRef,
    message: Option<M>,
    ticket: Option<Ticket>,
}

// Nothing in it is pinned.
impl<M> Unpin for Deliver<M> {}

impl<M: Send + 'static> Deliver<M> {
    #[inline]
    pub(super) fn new(process: ProcessRef, message: M) -> Self {
        Deliver {
            process,
            message: Some(message),
            ticket: None,
        }
    }

    /// Sends the message into a place that is reserved.
    fn send_reserved(&mut self) -> Result<(), SendError<M>> {
        let message = self.message.take().expect("a deliver sends once");
        match self.process.mailbox.push(NodeBox::message(message)) {
            Ok(Pushed::Queued) => Ok(()),
            Ok(Pushed::Wake) => {
                self.process.waker().wake_by_ref();
                Ok(())
            }
            Err(mut node) => Err(SendError::Gone(
                node.take().expect("the message that was put in"),
            )),
        }
    }
}

impl<M: Send + 'static> Future for Deliver<M> {
    type Output = Result<(), SendError<M>>;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        if !context::spend(1) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        if this.ticket.is_none() {
            let message = this
                .message
                .take()
                .expect("uproar: a `Deliver` was polled after it had returned");
            match try_send(&this.process, message) {
                Ok(()) => return Poll::Ready(Ok(())),
                Err(SendError::Full(message)) => {
                    let to_self = context::try_current()
                        .is_some_and(|caller| caller.pid() == this.process.pid());
                    if to_self {
                        return Poll::Ready(Err(SendError::Full(message)));
                    }
                    this.message = Some(message);
                }
                Err(gone) => return Poll::Ready(Err(gone)),
            }
        }
        let bound = this.process.mailbox.bound.as_ref();
        let bound = bound.expect("only a bounded mailbox is ever full");
        match bound.wait(this.ticket.take(), cx.waker()) {
            Room::Reserved => Poll::Ready(this.send_reserved()),
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

impl<M> Drop for Deliver<M> {
    fn drop(&mut self) {
        if let (Some(ticket), Some(bound)) = (self.ticket.take(), &self.process.mailbox.bound) {
            bound.leave(ticket);
        }
    }
}
