//! From a future to an actor that can run.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use async_task::{Runnable, ScheduleInfo, WithInfo};

use super::slice::Shell;
use super::{Phase, Shared};
use crate::actor::{Anything, Outcome, SpawnError};
use crate::mailbox::Mailbox;
use crate::observe::events;
use crate::process::{
    Birth, ExitReason, Kind, Pid, Placement, Process, ProcessRef, State, contain,
};
use crate::scheduler::{Task, context};
use crate::signals::{MonitorRef, Signal};

/// A future of so many bytes is boxed as soon as it comes in. A task boxes one of that size in any case, but only
/// after a debug build has copied it from frame to frame, and overflowed the stack.
const LARGE: usize = 2048;

/// How one actor is spawned.
#[derive(Clone, Copy)]
pub(super) struct Options<'a> {
    pub(super) mailbox: Mailbox,
    pub(super) placement: Placement,
    pub(super) worker: usize,
    pub(super) is_main: bool,
    /// How it is tied to the actor that spawns it before it can run.
    pub(super) tie: Option<Tie>,
    /// What the types say of it; if not said, that it receives anything.
    pub(super) kind: Option<Kind>,
    /// The name that it is to have before it can run. If that is taken, it never runs.
    pub(super) name: Option<&'a Arc<str>>,
}

/// How a child is tied to its parent from the start. (R22)
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tie {
    Link,
    Monitor,
    LinkAndMonitor,
}

/// What came of a spawn.
pub(crate) struct Spawned {
    pub(crate) process: ProcessRef,
    /// Whether it was accepted.
    pub(crate) accepted: bool,
    /// The monitor that was asked for.
    pub(crate) monitor: Option<MonitorRef>,
    /// If it was refused for its name: who has that.
    pub(crate) taken_by: Option<Pid>,
}

/// The runtime, for a task that one of its workers runs.
struct Here(*const Shared);

// SAFETY: `Shared` is `Sync`.
unsafe impl Send for Here {}

/// Queues a task that was woken. A plain function, so that it takes no room in
/// the task.
fn schedule(runnable: Runnable<Process>, info: ScheduleInfo) {
    let process: *const Process = runnable.metadata();
    // SAFETY: [P1][P3] the runnable holds the process, and an unfinished task's
    // runtime is alive.
    let (placement, last, shared) = unsafe {
        let process = &*process;
        // Who wakes an actor for a message would take the record's cache line from its
        // worker: that it is runnable is seen by its queue then, see `ProcessState::of`.
        if info.woken_while_running || process.placement != Placement::Normal {
            process.set_state(State::Runnable);
        }
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
    pub(super) fn default_options<'a>(&self) -> Options<'a> {
        Options {
            mailbox: self.config.mailbox,
            placement: Placement::Normal,
            worker: 0,
            is_main: false,
            tie: None,
            kind: None,
            name: None,
        }
    }

    /// Makes an actor and queues it. Whether it was accepted: while the runtime
    /// shuts down the future is dropped, and the process is dead from the start.
    ///
    /// # Safety
    /// A future that is not `Send`, or borrows, is spawned pinned, from a thread
    /// and in a way that the task is polled and dropped on its worker's thread
    /// and before what it borrows is gone.
    pub(super) unsafe fn spawn<F>(&self, future: F, options: Options<'_>) -> Spawned
    where
        F: Future,
        F::Output: Outcome,
    {
        let kind = options.kind.unwrap_or(Kind::of::<Anything, F>());
        // SAFETY: the caller's contract; a box changes nothing about it.
        unsafe {
            if const { size_of::<F>() >= LARGE } {
                self.spawn_task(Box::pin(future), kind, options)
            } else {
                self.spawn_task(future, kind, options)
            }
        }
    }

    /// # Safety
    /// As for `spawn`.
    unsafe fn spawn_task<F>(&self, future: F, kind: Kind, options: Options<'_>) -> Spawned
    where
        F: Future,
        F::Output: Outcome,
    {
        let birth = Birth {
            mailbox: options.mailbox,
            runtime: std::ptr::from_ref(self).cast(),
            kind,
            worker: options.worker,
            placement: options.placement,
            is_main: options.is_main,
            parent: context::try_current()
                .map(Process::pid)
                .filter(|parent| parent.runtime() == self.id),
            born: self.age_for_birth(),
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
        match options.name {
            None => self.enrol(|| self.enter(runnable, options.tie)),
            Some(name) => self.enrol_named(runnable, options.tie, name),
        }
    }

    /// Enters a new task's process into the books and queues it.
    #[inline]
    fn enrol(&self, enter: impl FnOnce() -> Spawned) -> Spawned {
        if self.is_here() {
            // The actor that spawns is alive, and the runtime with it.
            return enter();
        }
        // A shutdown that does not see this is seen by `enter`, which then refuses;
        // one that sees it leaves the end of the runtime to `after_exit` here.
        self.entering.fetch_add(1, Ordering::SeqCst);
        let entered = enter();
        self.entering.fetch_sub(1, Ordering::SeqCst);
        self.after_exit();
        entered
    }

    #[cold]
    fn enrol_named(
        &self,
        runnable: Runnable<Process>,
        tie: Option<Tie>,
        name: &Arc<str>,
    ) -> Spawned {
        self.enrol(|| self.enter_under(Some(name), runnable, tie))
    }

    fn enter(&self, runnable: Runnable<Process>, tie: Option<Tie>) -> Spawned {
        self.enter_under(None, runnable, tie)
    }

    /// Compiled twice, so that a spawn without a name knows nothing of names.
    #[inline(always)]
    fn enter_under(
        &self,
        name: Option<&Arc<str>>,
        runnable: Runnable<Process>,
        tie: Option<Tie>,
    ) -> Spawned {
        let process = {
            let waker = runnable.waker();
            // SAFETY: nobody else can reach the process yet.
            unsafe { runnable.metadata().set_waker(&waker) };
            ProcessRef::new(runnable.metadata())
        };
        if self.phase() != Phase::Running || context::is_inert() {
            self.refuse(runnable, &process);
            return Spawned::refused(process);
        }
        let here = context::worker_of(&self.scheduler);
        let near = here.map_or(0, |worker| worker.index + 1);
        match name {
            None => self.insert(near, &process),
            Some(name) => {
                if let Err(by) = self.claim_name(name, &process, || self.insert(near, &process)) {
                    self.refuse(runnable, &process);
                    return Spawned {
                        taken_by: Some(by),
                        ..Spawned::refused(process)
                    };
                }
            }
        }
        if let Some(worker) = here {
            worker.counts.spawned.add(1);
        } else {
            self.spawned_outside.add_shared(1);
        }
        events::spawned(&process);
        if let Some(name) = name {
            events::registered(process.pid(), name);
        }
        // [X2] The entry is in the table; a shutdown that began before it was is
        // seen here, and one that begins later sees the entry.
        match self.phase() {
            Phase::Running => {}
            Phase::Ended => {
                drop(runnable);
                return Spawned::refused(process);
            }
            Phase::Killing => {
                process.seclude();
                process.doom();
                self.signal(&process, Signal::Kill);
            }
            Phase::Stopping => {
                process.seclude();
                let shutdown = Signal::Exit {
                    from: self.nobody(),
                    reason: ExitReason::Shutdown,
                    link: None,
                };
                self.signal(&process, shutdown);
            }
        }
        // Before it can run, and so before it can end. (R22)
        let monitor = tie.and_then(|tie| self.tie_to_parent(tie, process.pid()));
        self.scheduler.spawned(Task::new(runnable), &process);
        Spawned {
            process,
            accepted: true,
            monitor,
            taken_by: None,
        }
    }

    /// Puts a new process into the table.
    #[inline(always)]
    fn insert(&self, near: usize, process: &ProcessRef) {
        let tell_pid = |process: &ProcessRef, pid| {
            // SAFETY: nobody else can reach the process before it is in the table.
            unsafe { process.set_pid(pid) };
        };
        self.table.insert(self.id, near, process.clone(), tell_pid);
    }

    fn tie_to_parent(&self, tie: Tie, child: Pid) -> Option<MonitorRef> {
        let parent = context::try_current()?;
        if tie != Tie::Monitor {
            self.link(parent, child);
        }
        (tie != Tie::Link).then(|| self.monitor(parent, child))
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
            let _ = process.end_ties();
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
    pub(super) fn run_on_worker(&self, work: impl FnOnce(&Shared) + Send + 'static) {
        let birth = Birth {
            mailbox: Mailbox::unbounded(),
            runtime: std::ptr::from_ref(self).cast(),
            kind: Kind::job(),
            worker: 0,
            placement: Placement::Normal,
            is_main: false,
            parent: None,
            born: 0,
        };
        let here = Here(self);
        let work = |_: &Process| async move {
            let here = here;
            // SAFETY: a worker that runs a task holds its runtime.
            contain(|| work(unsafe { &*here.0 }));
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
        let worker = self.scheduler.place(self.random(), Placement::Normal);
        self.scheduler
            .woken(Task::new(runnable), Placement::Normal, worker, false);
    }

    /// Drops an actor that comes too late, or whose name is taken.
    #[cold]
    fn refuse(&self, runnable: Runnable<Process>, process: &ProcessRef) {
        // SAFETY: nobody else can reach the process.
        unsafe { process.set_pid(self.nobody()) };
        // Its destructors get no ties: nobody would find their end.
        let _ = process.end_ties();
        drop(runnable);
    }
}

/// Spawns an actor from within another.
pub(crate) fn spawn_child<F>(parent: &Process, future: F, kind: Kind, tie: Option<Tie>) -> Spawned
where
    F: Future + Send + 'static,
    F::Output: Outcome,
{
    // SAFETY: [P3] the parent's code runs, so its task is unfinished.
    let shared = unsafe { Shared::of(parent) };
    let options = Options {
        tie,
        kind: Some(kind),
        worker: shared.worker_for(Placement::Normal),
        ..shared.default_options()
    };
    // SAFETY: the future is `Send` and `'static`.
    unsafe { shared.spawn(future, options) }
}

impl Spawned {
    fn refused(process: ProcessRef) -> Spawned {
        Spawned {
            process,
            accepted: false,
            monitor: None,
            taken_by: None,
        }
    }

    /// Its process, if it was accepted.
    pub(crate) fn accepted(self) -> Result<ProcessRef, SpawnError> {
        if self.accepted {
            Ok(self.process)
        } else {
            Err(SpawnError::ShuttingDown)
        }
    }
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
                events::dead_letter(to, std::any::type_name::<M>());
                let _ending = context::Ending::enter(&ExitReason::NoProcess);
                drop(message);
            }
        }
    }

    /// A number for a choice that is made outside of the workers.
    pub(super) fn random(&self) -> u64 {
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
