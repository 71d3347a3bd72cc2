//! What a shutdown leaves of actors that are stuck in their code: it is dropped once, and not
//! on the reactor's thread. [R6] [R39] [R56]

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use support::watchdog;
use uproar::prelude::*;
use uproar::{Handle, Runtime};

/// Where each value was dropped: the names of the threads.
#[derive(Clone, Default)]
struct Dropped(Arc<Mutex<Vec<String>>>);

impl Dropped {
    fn value(&self, runtime: &Handle, panics: bool) -> Value {
        Value {
            dropped: self.clone(),
            runtime: runtime.clone(),
            panics,
        }
    }

    fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    /// None on the reactor's thread, and so many in all.
    fn check(&self, count: usize) {
        let threads = self.0.lock().unwrap();
        assert_eq!(threads.len(), count, "{threads:?}");
        let reactors = threads.iter().filter(|name| name.ends_with("-reactor"));
        assert_eq!(reactors.count(), 0, "{threads:?}");
    }
}

/// A value whose destructor does what destructors may.
struct Value {
    dropped: Dropped,
    runtime: Handle,
    panics: bool,
}

impl Clone for Value {
    fn clone(&self) -> Value {
        self.dropped.value(&self.runtime, self.panics)
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        let name = thread::current().name().unwrap_or("?").to_owned();
        self.dropped.0.lock().unwrap().push(name);
        let actor = self.runtime.spawn(async {});
        actor.send("too late");
        for pid in self.runtime.processes() {
            self.runtime.send(pid, "late");
        }
        // It does not wait for itself.
        let _ = self.runtime.shutdown(Duration::ZERO);
        assert!(!self.panics, "a destructor panics");
    }
}

/// Does not come back from its code until it is let go.
async fn stuck(inside: Arc<AtomicBool>, let_go: Arc<AtomicBool>) {
    inside.store(true, Ordering::SeqCst);
    while !let_go.load(Ordering::SeqCst) {
        thread::yield_now();
    }
}

/// Messages in its mailbox, timers with a message each, and intervals; their number.
fn leave(actor: &Address<Anything>, runtime: &Handle, dropped: &Dropped) -> usize {
    let hour = Duration::from_secs(3600);
    for panics in [false, true] {
        actor.send(dropped.value(runtime, panics));
        runtime.send_after(hour, actor, dropped.value(runtime, panics));
        runtime.send_interval(hour, actor, dropped.value(runtime, panics));
        let mut kept =
            actor.ask(|reply_to: ReplyTo<()>| (reply_to, dropped.value(runtime, panics)));
        // It is sent, and nobody waits for the reply.
        let _ = futures::FutureExt::now_or_never(&mut kept);
    }
    8
}

fn wait_for(condition: impl Fn() -> bool) {
    while !condition() {
        thread::yield_now();
    }
}

/// The only worker is stuck, or one of two, or a lane.
fn in_each_place(before_the_end: impl Fn(&Runtime, &Address<Anything>)) {
    let _watchdog = watchdog(120);
    for (workers, blocked) in [(1, false), (2, false), (1, true)] {
        let dropped = Dropped::default();
        let runtime = Runtime::builder().workers(workers).start().unwrap();
        let inside = Arc::new(AtomicBool::new(false));
        let let_go = Arc::new(AtomicBool::new(false));
        let code = stuck(Arc::clone(&inside), Arc::clone(&let_go));
        let actor: Address<Anything> = match blocked {
            false => runtime.spawn(code),
            true => runtime.spawn_blocked(code),
        };
        wait_for(|| inside.load(Ordering::SeqCst));
        let left = leave(&actor, &runtime, &dropped);
        before_the_end(&runtime, &actor);
        let report = runtime.shutdown(Duration::from_millis(5));
        assert_eq!((report.ended, report.stuck.len()), (true, 1));
        dropped.check(left);
        let_go.store(true, Ordering::SeqCst);
        let result = catch_unwind(AssertUnwindSafe(|| drop(runtime)));
        assert!(result.is_ok());
        dropped.check(left);
    }
}

#[test]
fn a_shutdown_drops_what_the_stuck_leave() {
    in_each_place(|_, _| {});
}

// It was killed before, and given up: a worker is to drop what it leaves, but that may be the
// one that is stuck.
#[test]
fn a_shutdown_drops_what_those_leave_who_were_given_up() {
    in_each_place(|runtime, actor| {
        runtime.kill(actor);
        wait_for(|| runtime.stats().live == 0);
    });
}

// Nobody waits for the end: it was asked for in an actor, and the runtime's own threads are
// all that is left of it.
#[test]
fn an_end_that_nobody_waits_for() {
    let _watchdog = watchdog(120);
    for workers in [1, 2] {
        let dropped = Dropped::default();
        let runtime = Runtime::builder().workers(workers).start().unwrap();
        let inside = Arc::new(AtomicBool::new(false));
        let let_go = Arc::new(AtomicBool::new(false));
        let code = stuck(Arc::clone(&inside), Arc::clone(&let_go));
        let handle = runtime.handle();
        let (told, go) = mpsc::channel::<()>();
        let actor: Address<Anything> = handle.spawn(async move {
            go.recv().unwrap();
            // The last owner of the runtime, on its own worker.
            drop(runtime);
            code.await;
        });
        let left = leave(&actor, &handle, &dropped);
        told.send(()).unwrap();
        wait_for(|| inside.load(Ordering::SeqCst));
        wait_for(|| handle.has_ended());
        // What it had taken in when it asked for the end is its own until its code returns.
        wait_for(|| dropped.count() >= left / 2);
        let_go.store(true, Ordering::SeqCst);
        wait_for(|| dropped.count() >= left);
        dropped.check(left);
    }
}
