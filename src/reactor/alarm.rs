use std::sync::Arc;
use std::task::Waker;
use std::time::Instant;

use super::{Key, Reactor};
use crate::scheduler::context;

/// The time on the clock of the runtime whose actor calls, or on the machine's
/// clock outside of actors.
///
/// In a manual runtime the clock is virtual: it stands still while actors run.
///
/// # Examples
///
/// ```
/// use uproar::prelude::*;
///
/// let runtime = uproar::Runtime::builder().manual();
/// runtime.block_on(async {
///     let start = now();
///     sleep(Duration::from_secs(86_400)).await;
///     assert_eq!(now() - start, Duration::from_secs(86_400));
/// });
/// ```
pub fn now() -> Instant {
    match context::here() {
        Some((scheduler, _)) => scheduler.reactor.clock.now(),
        None => Instant::now(),
    }
}

/// One deadline of one future. Dropping it leaves nothing behind.
pub(crate) struct Alarm {
    /// `None`: never.
    at: Option<Instant>,
    armed: Option<(Arc<Reactor>, Key)>,
}

impl Alarm {
    pub(crate) fn at(at: Option<Instant>) -> Alarm {
        Alarm { at, armed: None }
    }

    /// Whether its time has come, on the clock it was armed with.
    pub(crate) fn is_due(&self) -> bool {
        let Some(at) = self.at else { return false };
        match &self.armed {
            Some((reactor, _)) => reactor.clock.now() >= at,
            None => now() >= at,
        }
    }

    /// Has `waker` woken in time, by the runtime of the calling actor.
    pub(crate) fn arm(&mut self, waker: &Waker) {
        if self.at.is_none() {
            return;
        }
        if self.armed.is_none() {
            let (scheduler, _) = context::here().expect("a future of an actor is polled by it");
            let reactor = Arc::clone(&scheduler.reactor);
            self.arm_on(reactor, waker);
        } else {
            self.rearm(waker);
        }
    }

    /// Has `waker` woken in time by this reactor.
    pub(crate) fn arm_on(&mut self, reactor: Arc<Reactor>, waker: &Waker) {
        let Some(at) = self.at else { return };
        if self.armed.is_some() {
            return self.rearm(waker);
        }
        let key = reactor.start(at, waker.clone());
        self.armed = Some((reactor, key));
    }

    fn rearm(&self, waker: &Waker) {
        if let Some((reactor, key)) = &self.armed
            && !reactor.update(*key, waker)
        {
            // It fired for the waker before: this one is due as well.
            waker.wake_by_ref();
        }
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        if let Some((reactor, key)) = self.armed.take() {
            reactor.cancel(key);
        }
    }
}
