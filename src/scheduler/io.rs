//! What workers do for I/O: look in while they are busy, and sleep in the reactor's seat.

use std::sync::atomic::{Ordering, fence};
use std::time::Duration;

use super::idle::Unpark;
use super::{Scheduler, Worker, context};
use crate::reactor::io::{Event, Who};

/// A busy worker looks for I/O once in so many slices, unless as many actors are in line
/// already: what has come waits better in the system's line than at the end of a ring that
/// overflows. [`LATEST`] slices later it looks in any case.
pub(super) const TURN: u32 = 64;
const LATEST: u32 = 1024;

/// One that searches for work does so once in so many rounds.
pub(super) const ROUNDS: u32 = 8;

/// How a worker's sleep has ended.
pub(super) struct Slept {
    /// It has been unparked, and that is taken.
    pub(super) unparked: bool,
    /// Whom I/O has come for.
    pub(super) woken: Vec<Who>,
}

impl Scheduler {
    /// Wakes whom I/O has come for, if nobody else is at it. Whether anybody was woken.
    pub(crate) fn serve_io(&self) -> bool {
        let io = &self.reactor.io;
        if io.waits() == 0 {
            return false;
        }
        let Some(mut sitting) = io.try_sit() else {
            return false;
        };
        let mut woken = Vec::new();
        sitting.serve(Some(Duration::ZERO), &mut woken);
        drop(sitting);
        let any = !woken.is_empty();
        self.wake_in_order(woken);
        any
    }

    /// What a busy worker does for I/O, after so many slices.
    pub(super) fn io_turn(&self, worker: &Worker, slices: u32) {
        if worker.runnable() <= TURN as usize || slices.is_multiple_of(LATEST) {
            self.serve_io();
        }
    }

    /// Wakes them. On a worker they come in this order, none of them out of turn.
    pub(super) fn wake_in_order(&self, woken: Vec<Who>) {
        let many = woken.len() > 1;
        woken.into_iter().for_each(Who::wake);
        if many && let Some(worker) = context::worker_of(self) {
            self.publish_next(worker);
        }
    }

    /// Blocks a worker that has announced itself until it is unparked or I/O comes.
    pub(super) fn sleep(&self, worker: &Worker) -> Slept {
        let io = &self.reactor.io;
        let mut woken = Vec::new();
        let seat = if io.waits() > 0 { io.try_sit() } else { None };
        let Some(mut sitting) = seat else {
            worker.parker.park();
            return Slept {
                unparked: true,
                woken,
            };
        };
        let mut unparked = !worker.parker.begin_polling();
        if !unparked {
            // An event that is for nobody ends no sleep.
            while woken.is_empty() && !worker.parker.is_notified() {
                sitting.serve(None, &mut woken);
            }
            unparked = worker.parker.end_polling();
        }
        Slept { unparked, woken }
    }

    /// Unblocks a worker.
    pub(super) fn unpark(&self, worker: usize) {
        match self.workers[worker].parker.unpark() {
            Unpark::Done => {}
            Unpark::Poller => self.reactor.io.notify(),
        }
    }

    /// Serves I/O while workers are busy, and sees to it that one sleeps in the seat when
    /// all sleep. For the reactor's thread, which runs no user code: what may be some comes
    /// back.
    pub(crate) fn attend_io(&self) -> Vec<Who> {
        let io = &self.reactor.io;
        if io.waits() == 0 {
            return Vec::new();
        }
        let Some(mut sitting) = io.try_sit() else {
            return Vec::new();
        };
        let mut woken = Vec::new();
        sitting.serve(Some(Duration::ZERO), &mut woken);
        drop(sitting);
        // [I4] of a worker that finds the seat taken by this thread and this look, the
        // second sees the first.
        fence(Ordering::SeqCst);
        if self.idle.all_parked() {
            self.wake_one();
        }
        let (actors, others): (Vec<_>, Vec<_>) = woken
            .into_iter()
            .partition(|who| matches!(who, Who::Actor(_)));
        actors.into_iter().for_each(Who::wake);
        others
    }

    /// Fetches what I/O has come, without waiting. For the manual driver.
    pub(crate) fn fetch_io(&self, events: &mut Vec<Event>) {
        if let Some(mut sitting) = self.reactor.io.try_sit() {
            events.extend(sitting.wait(Some(Duration::ZERO)));
        }
    }

    /// Blocks until I/O has come, somebody can run, or so long. For the manual driver.
    pub(crate) fn wait_for_io(&self, limit: Duration, events: &mut Vec<Event>) {
        let io = &self.reactor.io;
        // Without a poller nothing can come of it, and the caller looks again.
        if let Err(error) = io.make_poller() {
            crate::observe::events::poller_fails(&error);
            std::thread::sleep(Duration::from_millis(10));
        }
        let Some(mut sitting) = io.try_sit() else {
            return;
        };
        let _blocked = io.block();
        // Of a wake-up from outside and this look, the second sees the first.
        fence(Ordering::SeqCst);
        if !self.has_work() {
            events.extend(sitting.wait(Some(limit)));
        }
    }
}
