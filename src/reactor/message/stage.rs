//! Where the load of a timer is.
//!
//! ```text
//!              handed on                          end
//!   Pending ───────────────▶ Over ◀───────────────────────── Pending, Busy
//!      │  ▲                    ▲
//!      │  └─── again ─────┐    │ finish
//!      └──── begin ─────▶ Busy ┘     a worker clones an interval's message
//! ```
//!
//! * `[G1]` Whoever takes the load out of `Pending` owns it: the one that sends, that
//!   cancels, or that ends the target. It is never dropped on the reactor's thread.
//! * `[G2]` A message is put into the mailbox under the lock that `cancel` takes, while
//!   the stage is not `Over`: so nothing is sent after `cancel` has returned.
//! * `[G3]` A timer that is `Pending` or `Busy` is tied to its target, so that the
//!   target's end finds it. What finds the mailbox closed stays `Pending`: that end is on
//!   its way.
//!
//! Checked by the models below.

use std::mem;

/// Changed under the timer's lock.
pub(super) enum Stage<L> {
    Pending(L),
    /// A worker has the load.
    Busy,
    Over,
}

/// What became of a load that was due.
#[must_use]
pub(super) enum HandedOn<R, W> {
    Sent(R),
    /// It is still pending, and why.
    Stays(W),
    /// There is none here.
    NotPending,
}

impl<L> Stage<L> {
    /// `Pending` to `Over`, if `send` takes the load; it sends it at once, under the lock.
    /// [G2]
    pub(super) fn hand_on<R, W>(
        &mut self,
        send: impl FnOnce(L) -> Result<R, (L, W)>,
    ) -> HandedOn<R, W> {
        match mem::replace(self, Stage::Over) {
            Stage::Pending(load) => match send(load) {
                Ok(sent) => HandedOn::Sent(sent),
                Err((load, why)) => {
                    *self = Stage::Pending(load);
                    HandedOn::Stays(why)
                }
            },
            stage => {
                *self = stage;
                HandedOn::NotPending
            }
        }
    }

    /// `Pending` to `Busy`: the load, for a worker that sends it. [G1]
    #[must_use]
    pub(super) fn begin(&mut self) -> Option<L> {
        match mem::replace(self, Stage::Busy) {
            Stage::Pending(load) => Some(load),
            stage => {
                *self = stage;
                None
            }
        }
    }

    /// `Busy` to `Pending`: it has been sent, and will be again.
    pub(super) fn again(&mut self, load: L) {
        debug_assert!(matches!(self, Stage::Busy));
        *self = Stage::Pending(load);
    }

    /// `Busy` to `Over`: it has been sent for the last time.
    pub(super) fn finish(&mut self) {
        debug_assert!(matches!(self, Stage::Busy));
        *self = Stage::Over;
    }

    /// To `Over`: whether that was before its end, and the load, unless a worker has it.
    #[must_use]
    pub(super) fn end(&mut self) -> (bool, Option<L>) {
        match mem::replace(self, Stage::Over) {
            Stage::Pending(load) => (true, Some(load)),
            Stage::Busy => (true, None),
            Stage::Over => (false, None),
        }
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(self, Stage::Over)
    }
}

#[cfg(all(test, uproar_loom))]
#[path = "stage/models.rs"]
mod loom_models;
