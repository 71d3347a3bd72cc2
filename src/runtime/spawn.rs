//! From a future to an actor that can run.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use async_task::{Runnable, ScheduleInfo, WithInfo};

use super::slice::Shell;
use super::{Phase, Shared};
use crate::actor::Outcome;
use crate::mailbox::Mailbox;
use crate::process::{Birth, ExitReason, Pid, Placement, Process, ProcessRef, State, contain};
use crate::reactor::Job;
use crate::scheduler::{Task, context};

/// How one actor is spawned.
#[derive(Clone, Copy)]
pub(super) struct Options {
    pub(super) mailbox: Mailbox,
    pub(super) placement: Placement,
    pub(super) worker: usize,
    pub(super) is_main: bool,
}

/// Queues a task that was woken. A plain function, so that it takes no room in
/// the task.
fn schedule(runnable: Runnable<Process>, info: ScheduleInfo) {
    let process: *const Process = runnable.metadata();
    // SAFETY: [P1][P3] the runnable holds the process, and an unfinished task's
    // runtime is alive.
    let (placement, last, shared) = unsafe {
        let process = &*process;
        (process.placement, process.worker(), Shared::of(process))
    };
    if shared.is_here() {
        // The worker holds the runtime, whatever happens to the task meanwhile.
        shared.scheduler.woken(
            Task::new(runnable),
            placement,
            last,
            info.woken_while_running,
        );
    } else {
        schedule_from_outside(runnable, placement, last, shared);
    }
}

#[cold]
fn schedule_from_outside(
    runnable: Runnable<Process>,
    placement: Placement,
    last: usize,
    shared: &Shared,
) {
    // Once the task is in a queue it can run and end, and its runtime with it,
    // before this call is over. So hold that.
    // SAFETY: the runtime is alive now [P3], and was made by `Arc::new`.
    let shared = unsafe {
        Arc::increment_strong_count(shared);
        Arc::from_raw(shared)
    };
    shared
        .scheduler
        .woken(Task::new(runnable), placement, last, false);
}

impl Shared {
    pub(super) fn default_options(&self) -> Options {
        Options {
            mailbox: self.config.mailbox,
            placement: Placement::Normal,
            worker: 0,
            is_main: false,
        }
    }

    /// Makes an actor and queues it. Whether it was accepted: while the runtime
    /// shuts down the future is dropped, and the process is dead from the start.
    ///
    /// # Safety
    /// A future that is not `Send`, or borrows, is spawned pinned, from a thread
    /// and in a way that the task is polled and dropped on its worker's thread
    /// and before what it borrows is gone.
    pub(super) unsafe fn spawn<F>(&self, future: F, options: Options) -> (ProcessRef, bool)
    where
        F: Future,
        F::Output: Outcome,
    {
        let birth = Birth {
            mailbox: options.mailbox,
            runtime: std::ptr::from_ref(self).cast(),
            type_name: std::any::type_name::<F>,
            worker: options.worker,
            placement: options.placement,
            is_main: options.is_main,
        };
        // SAFETY: by the contract the task stays where it may run; `schedule` is
        // `Send`, `Sync` and `'static`.
        let (runnable, task) = unsafe {
            async_task::Builder::new()
                .metadata(Process::new(birth))
                .spawn_unchecked(
                    move |process| Shell::new(process, future),
                    WithInfo(schedule),
                )
        };
        task.detach();
        self.enrol(runnable)
    }

    /// Enters a new task's process into the books and queues it.
    fn enrol(&self, runnable: Runnable<Process>) -> (ProcessRef, bool) {
        if self.is_here() {
            // The actor that spawns is alive, and the runtime with it.
            return self.enter(runnable);
        }
        // A shutdown that does not see this is seen by `enter`, which then refuses;
        // one that sees it leaves the end of the runtime to `after_exit` here.
        self.entering.fetch_add(1, Ordering::SeqCst);
        let entered = self.enter(runnable);
        self.entering.fetch_sub(1, Ordering::SeqCst);
        self.after_exit();
        entered
    }

    fn enter(&self, runnable: Runnable<Process>) -> (ProcessRef, bool) {
        let process = {
            let waker = runnable.waker();
            // SAFETY: nobody else can reach the process yet.
            unsafe { runnable.metadata().set_waker(&waker) };
            ProcessRef::new(runnable.metadata())
        };
        if self.phase() != Phase::Running {
            self.refuse(runnable, &process);
            return (process, false);
        }
        let here = context::worker_of(&self.scheduler);
        self.table.insert(
            self.id,
            here.map_or(0, |worker| worker.index + 1),
            process.clone(),
            // SAFETY: nobody else can reach the process before it is in the table.
            |process, pid| unsafe { process.set_pid(pid) },
        );
        if let Some(worker) = here {
            worker.counts.spawned.add(1);
        } else {
            self.spawned_outside.add_shared(1);
        }
        // [X2] The entry is in the table; a shutdown that began before it was is
        // seen here, and one that begins later sees the entry.
        match self.phase() {
            Phase::Running => {}
            Phase::Ended => {
                drop(runnable);
                return (process, false);
            }
            _ => {
                process.seclude();
                self.signal_exit(&process, ExitReason::Shutdown);
            }
        }
        self.scheduler.spawned(Task::new(runnable), &process);
        (process, true)
    }

    /// Enters the process of an inbox. It is nobody's to run: its task is woken by
    /// messages, and what that does is the inbox's.
    pub(super) fn enrol_inbox(&self, runnable: Runnable<Process>) -> ProcessRef {
        let process = {
            let waker = runnable.waker();
            // SAFETY: nobody else can reach the process yet.
            unsafe { runnable.metadata().set_waker(&waker) };
            ProcessRef::new(runnable.metadata())
        };
        // SAFETY: as above.
        let name = |process: &ProcessRef, pid| unsafe { process.set_pid(pid) };
        self.table.insert(self.id, 0, process.clone(), name);
        if self.phase() != Phase::Running {
            // SAFETY: [M4] nobody owns the store yet, and it is empty.
            drop(unsafe { process.mailbox.close(true) });
            process.end_ties();
            drop(self.table.remove(process.pid()));
        }
        runnable.run();
        process
    }

    /// Has a worker do what the reactor's thread must not.
    ///
    /// It is done in one slice of a task that is no actor: nobody can address it, it is
    /// in no table and no count, and it never waits. So workers steal it, and a stuck
    /// worker does not keep it.
    pub(super) fn run_on_worker(&self, jobs: Vec<Job>) {
        let birth = Birth {
            mailbox: Mailbox::unbounded(),
            runtime: std::ptr::from_ref(self).cast(),
            type_name: std::any::type_name::<Job>,
            worker: 0,
            placement: Placement::Normal,
            is_main: false,
        };
        let reactor = Arc::clone(&self.scheduler.reactor);
        let work = |_: &Process| async move {
            for job in jobs {
                contain(|| job.run(&reactor));
            }
        };
        let (runnable, task) = async_task::Builder::new()
            .metadata(Process::new(birth))
            .spawn(work, WithInfo(schedule));
        task.detach();
        let waker = runnable.waker();
        // SAFETY: nobody else can reach the process.
        unsafe {
            runnable.metadata().set_waker(&waker);
            runnable.metadata().set_pid(self.nobody());
        }
        drop(waker);
        let worker = self.scheduler.place(self.random());
        self.scheduler
            .woken(Task::new(runnable), Placement::Normal, worker, false);
    }

    /// A pid that no actor has.
    fn nobody(&self) -> Pid {
        Pid::new(self.id, u32::MAX, std::num::NonZeroU64::MAX)
    }

    /// Drops an actor that comes too late.
    #[cold]
    fn refuse(&self, runnable: Runnable<Process>, process: &ProcessRef) {
        // SAFETY: nobody else can reach the process.
        unsafe { process.set_pid(self.nobody()) };
        drop(runnable);
    }

    /// Places an actor that is spawned from outside of the workers.
    pub(super) fn placed(&self, options: Options) -> Options {
        if options.placement != Placement::Normal || self.is_here() {
            return options;
        }
        Options {
            worker: self.scheduler.place(self.random()),
            ..options
        }
    }
}

/// Spawns an actor from within another. Whether it was accepted.
pub(crate) fn spawn_child<F>(
    parent: &Process,
    future: F,
    mailbox: Option<Mailbox>,
) -> (ProcessRef, bool)
where
    F: Future + Send + 'static,
    F::Output: Outcome,
{
    // SAFETY: [P3] the parent's code runs, so its task is unfinished.
    let shared = unsafe { Shared::of(parent) };
    let options = Options {
        mailbox: mailbox.unwrap_or(shared.config.mailbox),
        ..shared.default_options()
    };
    // SAFETY: the future is `Send` and `'static`.
    unsafe { shared.spawn(future, options) }
}

/// Sends a message from an actor to a bare pid.
pub(crate) fn send_by_pid<M: Send + 'static>(caller: &Process, to: Pid, message: M) {
    // SAFETY: [P3] the caller's code runs, so its task is unfinished.
    let shared = unsafe { Shared::of(caller) };
    shared.send(to, message);
}

impl Shared {
    /// The process of a pid, if it is one of this runtime's.
    pub(crate) fn find(&self, pid: Pid) -> Option<ProcessRef> {
        (pid.runtime() == self.id)
            .then(|| self.table.get(pid))
            .flatten()
    }

    /// Sends a message to a bare pid; what finds nobody is a dead letter.
    pub(crate) fn send<M: Send + 'static>(&self, to: Pid, message: M) {
        match self.find(to) {
            Some(process) if process.state() != State::Exited => {
                crate::actor::send_to(&process, message);
            }
            _ => {
                self.dead_letters.add_shared(1);
                tracing::debug!(
                    target: "uproar::dead_letter",
                    %to, message = std::any::type_name::<M>(), "dead letter"
                );
                let _ending = context::Ending::enter(&ExitReason::NoProcess);
                drop(message);
            }
        }
    }

    /// Sends an exit signal.
    pub(super) fn signal_exit(&self, process: &Process, reason: ExitReason) {
        self.signal(process, crate::signals::Signal::Exit(reason));
    }

    /// Sends a control signal, and wakes the receiver whatever it waits for.
    pub(super) fn signal(&self, process: &Process, signal: crate::signals::Signal) {
        let node = crate::mailbox::NodeBox::control(signal);
        if process.mailbox.incoming.push(node).is_ok() {
            process.set_urgent();
            process.waker().wake_by_ref();
        }
    }

    /// A number for a choice that is made outside of the workers.
    fn random(&self) -> u64 {
        use std::sync::atomic::AtomicU64;
        static DRAWN: AtomicU64 = AtomicU64::new(0);
        let draw = if self.config.manual {
            self.spawned_outside.get()
        } else {
            DRAWN.fetch_add(1, Ordering::Relaxed)
        };
        crate::scheduler::Rng::new(self.config.seed ^ draw.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .next()
    }
}
