//! Where an actor is to run, from what its spawner says.

use std::future::Future;
use std::sync::Arc;

use super::spawn::{Options, Spawned, Tie};
use super::{Phase, Shared};
use crate::actor::{NoSuchWorker, Outcome, SpawnError, WorkerId};
use crate::mailbox::Mailbox;
use crate::observe::events;
use crate::process::{Kind, Placement, Process};
use crate::scheduler::context;

/// Where an actor is to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Place {
    #[default]
    Anywhere,
    /// On the spawner's worker; if that has none, on one that is picked.
    Pinned,
    PinnedOn(WorkerId),
    /// On lanes.
    Blocked,
    /// On a lane of its own.
    Dedicated,
}

impl Place {
    /// The same for an actor that can't change threads.
    pub(crate) fn on_one_thread(self) -> Place {
        match self {
            Place::Anywhere => Place::Pinned,
            Place::Blocked => Place::Dedicated,
            place => place,
        }
    }
}

/// How an actor is to be spawned.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct How<'a> {
    pub(crate) mailbox: Option<Mailbox>,
    pub(crate) place: Place,
    pub(crate) tie: Option<Tie>,
    pub(crate) name: Option<&'a Arc<str>>,
}

impl From<Place> for How<'_> {
    fn from(place: Place) -> Self {
        How {
            place,
            ..How::default()
        }
    }
}

impl Shared {
    /// The runtime of an actor whose code runs.
    pub(crate) fn of_caller(caller: &Process) -> &Shared {
        // SAFETY: [P3] its code runs, so its task is unfinished.
        unsafe { Shared::of(caller) }
    }

    /// Spawns an actor as its spawner says.
    pub(crate) fn spawn_as<F>(&self, future: F, how: How, kind: Kind) -> Result<Spawned, SpawnError>
    where
        F: Future + Send + 'static,
        F::Output: Outcome,
    {
        let options = Options {
            kind: Some(kind),
            ..self.options(how)?
        };
        // SAFETY: the future is `Send` and `'static`.
        let spawned = unsafe { self.spawn(future, options) };
        if !spawned.accepted && options.placement == Placement::Dedicated {
            self.scheduler.lanes.dismiss(options.worker);
        }
        match (how.name, spawned.taken_by) {
            (Some(name), Some(by)) => Err(SpawnError::NameTaken {
                name: Arc::clone(name),
                by,
            }),
            _ => Ok(spawned),
        }
    }

    fn options<'a>(&self, how: How<'a>) -> Result<Options<'a>, SpawnError> {
        let (placement, worker) = match how.place {
            Place::Anywhere => (Placement::Normal, self.worker_for(Placement::Normal)),
            Place::Pinned => (Placement::Pinned, self.worker_for(Placement::Pinned)),
            Place::PinnedOn(worker) => (Placement::Pinned, self.check(worker)?.index()),
            Place::Blocked => (Placement::Blocking, 0),
            Place::Dedicated => self.own_lane()?,
        };
        let options = self.default_options();
        Ok(Options {
            mailbox: how.mailbox.unwrap_or(options.mailbox),
            placement,
            worker,
            tie: how.tie,
            name: how.name,
            ..options
        })
    }

    /// A lane for one actor. The manual driver has none, and runs it as any other.
    fn own_lane(&self) -> Result<(Placement, usize), SpawnError> {
        if self.config.manual || self.phase() != Phase::Running {
            return Ok((Placement::Blocking, 0));
        }
        match self.scheduler.lanes.open_own() {
            Ok(lane) => Ok((Placement::Dedicated, lane)),
            Err(_) if self.phase() != Phase::Running => Ok((Placement::Blocking, 0)),
            Err(error) => {
                events::no_own_thread(&error);
                Err(SpawnError::NoThread)
            }
        }
    }

    fn check(&self, worker: WorkerId) -> Result<WorkerId, NoSuchWorker> {
        let workers = self.config.workers;
        if worker.index() < workers {
            Ok(worker)
        } else {
            Err(NoSuchWorker::new(worker, workers))
        }
    }

    /// The calling worker; for a caller that is none, one that has little to do. (R53)
    pub(super) fn worker_for(&self, placement: Placement) -> usize {
        match context::worker_of(&self.scheduler) {
            Some(worker) => worker.index,
            None => self.scheduler.place(self.random(), placement),
        }
    }
}
