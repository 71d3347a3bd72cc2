//! One lane: where its thread sleeps, and whom it runs.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use super::super::Task;
use crate::process::ProcessRef;
use crate::sync::{Condvar, Mutex, MutexGuard};

/// `T` is what it runs.
pub(crate) struct Lane<T = Task> {
    /// Its place in the crew.
    number: usize,
    /// It has one actor for life.
    own: bool,
    desk: Mutex<Desk<T>>,
    changed: Condvar,
    /// Whom it runs.
    running: Mutex<Option<ProcessRef>>,
}

struct Desk<T> {
    called: bool,
    stopped: bool,
    /// What an own lane is to run.
    task: Option<T>,
}

impl<T> Lane<T> {
    pub(super) fn new(number: usize, own: bool) -> Lane<T> {
        Lane {
            number,
            own,
            desk: Mutex::new(Desk {
                called: false,
                stopped: false,
                task: None,
            }),
            changed: Condvar::new(),
            running: Mutex::new(None),
        }
    }

    pub(crate) fn number(&self) -> usize {
        self.number
    }

    pub(crate) fn is_own(&self) -> bool {
        self.own
    }

    fn desk(&self) -> MutexGuard<'_, Desk<T>> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a lane of the pool look at the line.
    pub(super) fn call(&self) {
        self.desk().called = true;
        self.changed.notify_one();
    }

    /// Has it leave when there is nothing to run.
    pub(super) fn stop(&self) {
        self.desk().stopped = true;
        self.changed.notify_one();
    }

    /// Takes back a call that has been answered.
    pub(super) fn take_call(&self) {
        self.desk().called = false;
    }

    /// Sleeps until it is called or told to stop; `false` if for so long it is not.
    pub(super) fn wait(&self, limit: Duration) -> bool {
        let until = Instant::now().checked_add(limit);
        let mut desk = self.desk();
        loop {
            if std::mem::take(&mut desk.called) || desk.stopped {
                return true;
            }
            desk = match until.map(|until| until.saturating_duration_since(Instant::now())) {
                None => self
                    .changed
                    .wait(desk)
                    .unwrap_or_else(PoisonError::into_inner),
                Some(left) if left.is_zero() => return false,
                Some(left) => {
                    let waited = self.changed.wait_timeout(desk, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Gives an own lane its actor's task.
    pub(super) fn give(&self, task: T) {
        let before = self.desk().task.replace(task);
        debug_assert!(before.is_none(), "a task is in one queue");
        self.changed.notify_one();
    }

    /// Sleeps until there is something for an own lane to run. `None`: it is to leave.
    pub(crate) fn own_task(&self) -> Option<T> {
        let mut desk = self.desk();
        loop {
            if let Some(task) = desk.task.take() {
                return Some(task);
            }
            if desk.stopped {
                return None;
            }
            desk = self
                .changed
                .wait(desk)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn running(&self) -> MutexGuard<'_, Option<ProcessRef>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says whom it runs; whom it has run.
    pub(crate) fn set_running(&self, process: Option<ProcessRef>) -> Option<ProcessRef> {
        std::mem::replace(&mut *self.running(), process)
    }

    /// Whether what it runs has been counted dead.
    pub(super) fn is_stuck(&self) -> bool {
        self.running().as_ref().is_some_and(|p| p.is_given_up())
    }

    /// The type of what it runs.
    pub(super) fn actor(&self) -> Option<&'static str> {
        self.running().as_ref().map(|p| p.type_name())
    }
}
