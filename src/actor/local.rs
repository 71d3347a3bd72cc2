//! Actors whose futures stay on one thread.

use std::future::Future;
use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::thread::{self, ThreadId};

use crate::observe::events;

/// A future that need not be `Send`, in a shell that is: it is built at the first poll, by
/// a closure that is `Send`, on the thread that polls.
///
/// `[A1]` A future that has been built is touched by that thread only. Polled on another
/// one it panics; dropped on another one it is leaked.
///
/// Whoever spawns it sees to it that neither happens. The shell makes sure.
pub(crate) struct Local<B, F>(Content<B, F>);

enum Content<B, F> {
    Unbuilt(B),
    Built(Built<F>),
    /// The closure has been taken, and has panicked if there is no future.
    Nothing,
}

struct Built<F> {
    home: ThreadId,
    future: ManuallyDrop<F>,
}

// SAFETY: the closure is `Send`, and a future that has been built is touched on its own
// thread only [A1].
unsafe impl<B: Send, F> Send for Local<B, F> {}

impl<B, F> Local<B, F>
where
    B: FnOnce() -> F,
    F: Future,
{
    pub(crate) fn new(build: B) -> Local<B, F> {
        Local(Content::Unbuilt(build))
    }
}

impl<B, F> Future for Local<B, F>
where
    B: FnOnce() -> F,
    F: Future,
{
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: a future that has been built is not moved; the closure is not pinned.
        let content = unsafe { &mut self.get_unchecked_mut().0 };
        if matches!(content, Content::Unbuilt(_))
            && let Content::Unbuilt(build) = std::mem::replace(content, Content::Nothing)
        {
            *content = Content::Built(Built {
                home: thread::current().id(),
                future: ManuallyDrop::new(build()),
            });
        }
        let Content::Built(built) = content else {
            unreachable!("a task is not polled after a panic")
        };
        assert!(
            built.is_home(),
            "uproar: an actor that is not `Send` was polled away from its thread; tick a manual \
             runtime on one thread"
        );
        // SAFETY: pinned with `self`, and dropped with it.
        unsafe { Pin::new_unchecked(&mut *built.future) }.poll(cx)
    }
}

impl<F> Built<F> {
    fn is_home(&self) -> bool {
        self.home == thread::current().id()
    }
}

impl<F> Drop for Built<F> {
    fn drop(&mut self) {
        if self.is_home() {
            // SAFETY: once, and nobody uses it after that.
            unsafe { ManuallyDrop::drop(&mut self.future) };
        } else {
            events::leaked(std::any::type_name::<F>());
        }
    }
}

#[cfg(all(test, not(uproar_loom)))]
#[path = "local/tests.rs"]
mod tests;
