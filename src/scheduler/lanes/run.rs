//! What the thread of a lane does.

use std::sync::Arc;

use async_task::Runnable;

use super::super::{Rng, Scheduler, Task, context};
use super::Lane;
use crate::observe::events::{self, ActorSpan};
use crate::process::{Process, ProcessRef, State};

impl Scheduler {
    /// Runs blocking actors on the calling thread, until there is nothing for it to run.
    pub(crate) fn run_lane(&self, lane: &Arc<Lane>) {
        let _on = context::OnWorker::enter_lane(self);
        if lane.is_own() {
            self.run_own_lane(lane);
            return;
        }
        self.lanes.serve(
            lane,
            |task| {
                self.run_on_lane(lane, task);
            },
            || self.watch.worker_woke(),
        );
    }

    fn run_own_lane(&self, lane: &Arc<Lane>) {
        while let Some(task) = lane.own_task() {
            let ended = self.run_on_lane(lane, task);
            self.watch.worker_woke();
            if ended {
                break;
            }
        }
        self.lanes.leave_own(lane);
    }

    /// Runs one slice. Whether it was the actor's last.
    fn run_on_lane(&self, lane: &Lane, task: Task) -> bool {
        let runnable = task.into_runnable();
        let process = ProcessRef::new(runnable.metadata());
        lane.set_running(Some(process));
        self.lanes.count_busy(lane, true);
        self.run_blocking(runnable);
        self.lanes.count_busy(lane, false);
        let process = lane.set_running(None);
        process.is_some_and(|process| process.state() == State::Exited)
    }

    fn run_blocking(&self, runnable: Runnable<Process>) {
        context::set_budget(self.reductions);
        if events::spans_are_wanted() {
            let _in = ActorSpan::enter(runnable.metadata(), None);
            runnable.run();
        } else {
            runnable.run();
        }
    }

    /// Queues a blocking task.
    pub(in super::super) fn woken_on_lane(&self, task: Task) {
        match self.lanes.push(task) {
            Ok(()) if self.manual => {}
            Ok(()) => self.watch.ensure_awake(),
            Err(task) => self.end_on_worker(task),
        }
    }

    /// Ends blocking actors that are in line, and such as come later, on workers: they
    /// have been killed, and may not have to wait for a lane.
    pub(crate) fn divert_lanes(&self) {
        for task in self.lanes.divert() {
            self.end_on_worker(task);
        }
    }

    /// Has a worker run a blocking actor, one that is to end.
    #[cold]
    pub(in super::super) fn end_on_worker(&self, task: Task) {
        let free = (0..self.workers.len()).find(|&worker| !self.is_stuck(worker));
        let worker = free.unwrap_or(0);
        self.workers[worker].push_inbox(task);
        self.call(worker, true);
    }

    /// One slice of a blocking actor on the thread that ticks, drawn from those in line.
    pub(in super::super) fn step_lane(&self, rng: &mut Rng) -> bool {
        for _ in 0..rng.below(self.lanes.queued().clamp(1, 16)) {
            if let Some(task) = self.lanes.pop() {
                self.lanes.push_back(task);
            }
        }
        let Some(task) = self.lanes.pop() else {
            return false;
        };
        let _on = context::OnWorker::enter_lane(self);
        self.run_blocking(task.into_runnable());
        true
    }
}
