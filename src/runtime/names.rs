//! Names of the actors of one runtime: who gets one, and when it goes.
//!
//! A name goes in the end of its actor, before anyone is told of that. (R29)

use std::sync::Arc;

use super::{Phase, Shared};
use crate::observe::events;
use crate::process::{Cut, Pid, Process, ProcessRef, Refusal, Unnamable};
use crate::scheduler::context;

/// Why a name was not given.
pub(crate) enum NotRegistered {
    Taken(Pid),
    Named(Arc<str>),
    Dead,
    ShuttingDown,
}

impl From<Refusal> for NotRegistered {
    fn from(refusal: Refusal) -> NotRegistered {
        match refusal {
            Refusal::Taken(by) => NotRegistered::Taken(by),
            Refusal::Unnamable(Unnamable::Named(name)) => NotRegistered::Named(name),
            Refusal::Unnamable(Unnamable::Dead) => NotRegistered::Dead,
        }
    }
}

impl Shared {
    /// Whether the calling code may change nothing any more. (R57)
    fn refuses_caller(&self) -> bool {
        match self.phase() {
            Phase::Running => false,
            Phase::Ended => true,
            _ => context::is_outsider(self.nobody()),
        }
    }

    /// Gives a name to an actor, or to an inbox. (R43)
    pub(crate) fn register(&self, name: &Arc<str>, pid: Pid) -> Result<(), NotRegistered> {
        if self.refuses_caller() {
            return Err(NotRegistered::ShuttingDown);
        }
        // From an actor that has been given up it is as from a dead one. (R31)
        let process = self.find(pid).filter(|_| !context::is_inert());
        let process = process.ok_or(NotRegistered::Dead)?;
        self.names.register(name, &process)?;
        events::registered(pid, name);
        Ok(())
    }

    /// Takes a name from whoever has it.
    pub(crate) fn unregister(&self, name: &str) -> Option<Pid> {
        if self.refuses_caller() || context::is_inert() {
            return None;
        }
        let pid = self.names.unregister(name)?.pid();
        events::unregistered(pid, name);
        Some(pid)
    }

    /// Whoever has a name, as long as the runtime has not ended.
    fn look_up<R>(&self, name: &str, look: impl FnOnce(&ProcessRef) -> R) -> Option<R> {
        if self.phase() == Phase::Ended {
            return None;
        }
        self.names.find(name, look)
    }

    pub(crate) fn where_is(&self, name: &str) -> Option<Pid> {
        self.look_up(name, |process| process.pid())
    }

    /// The process that has a name.
    #[inline]
    pub(crate) fn find_named(&self, name: &str) -> Option<ProcessRef> {
        self.look_up(name, ProcessRef::clone)
    }

    /// All names and who has them, by name.
    pub(crate) fn all_names(&self) -> Vec<(Arc<str>, Pid)> {
        if self.phase() == Phase::Ended {
            return Vec::new();
        }
        self.names.all()
    }

    /// Names that are taken.
    pub(crate) fn count_names(&self) -> usize {
        if self.phase() == Phase::Ended {
            return 0;
        }
        self.names.count()
    }

    /// Has `enter` enter a new process under a name, unless that is taken: by whom. The loser has
    /// been nowhere then.
    #[cold]
    pub(super) fn claim_name(
        &self,
        name: &Arc<str>,
        process: &ProcessRef,
        enter: impl FnOnce(),
    ) -> Result<(), Pid> {
        let claimed = self.names.claim(name, || {
            // From here on others can find it, kill it, and end it.
            process.take_name(name)?;
            enter();
            Ok(process.clone())
        });
        match claimed {
            Ok(()) => Ok(()),
            Err(Refusal::Taken(by)) => Err(by),
            Err(Refusal::Unnamable(_)) => unreachable!("a new process has no name and no end"),
        }
    }

    /// Frees the name of an actor that has ended, when nobody has been told of that yet. (R29)
    #[inline]
    pub(super) fn release(&self, process: &Process, cut: &Cut) {
        if cut.named {
            self.release_name(process);
        }
    }

    #[cold]
    fn release_name(&self, process: &Process) {
        if let Some(name) = process.left_name()
            && self.names.release(&name, process.pid())
        {
            events::unregistered(process.pid(), &name);
        }
    }
}
