//! Actors that are not `Send`: built, polled and dropped on their own thread, however they
//! end. Case 32.

#[macro_use]
mod support;

use std::cell::RefCell;
use std::future::pending;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, ThreadId};

use uproar::Runtime;
use uproar::prelude::*;

struct Add(u64);
struct Get(ReplyTo<u64>);

/// What is not `Send`, and notes that it is made and dropped on one thread.
struct Note {
    sum: Rc<RefCell<u64>>,
    home: ThreadId,
    dropped: mpsc::Sender<bool>,
}

impl Note {
    fn new(dropped: mpsc::Sender<bool>) -> Note {
        Note {
            sum: Rc::default(),
            home: thread::current().id(),
            dropped,
        }
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        let _ = self.dropped.send(thread::current().id() == self.home);
    }
}

#[actor(local)]
async fn adder(note: Note) -> Result<(), String> {
    let more = Rc::clone(&note.sum);
    loop {
        #[receive]
        match receive().await {
            Add(0) => return Ok(()),
            Add(13) => panic!("unlucky"),
            Add(99) => return Err("too much".to_owned()),
            Add(n) => *note.sum.borrow_mut() += n,
            Get(reply_to) => reply_to.send(*more.borrow()),
        }
    }
}

/// The same as a struct.
struct Cellar(Note);

#[actor(local)]
impl Cellar {
    #[receive]
    async fn add(&mut self, Add(n): Add) {
        *self.0.sum.borrow_mut() += n;
    }

    #[receive]
    fn get(&mut self, Get(reply_to): Get) {
        reply_to.send(*self.0.sum.borrow());
    }
}

fn runtime() -> Runtime {
    Runtime::builder().workers(3).start().unwrap()
}

/// Where local actors can be.
fn places() -> [Spawn; 4] {
    [
        Spawn::new(),
        Spawn::new().pinned_on(WorkerId::new(1)),
        Spawn::new().blocked(),
        Spawn::new().dedicated(),
    ]
}

/// One that has run, and the sign of its drop.
fn started(runtime: &Runtime, how: &Spawn) -> (Address<Adder>, mpsc::Receiver<bool>) {
    let (dropped, drops) = mpsc::channel();
    let build = move || adder(Note::new(dropped));
    let actor = runtime.spawn_local_with(how, build).unwrap();
    assert_eq!(actor.ask(Get).wait(), Ok(0));
    (actor, drops)
}

fn assert_dropped_at_home(drops: &mpsc::Receiver<bool>) {
    assert_eq!(drops.recv_timeout(Duration::from_secs(60)), Ok(true));
    assert!(drops.try_recv().is_err(), "once");
}

#[test]
fn it_answers_from_every_worker_lane_and_thread() {
    let _watchdog = support::watchdog(120);
    let runtime = runtime();
    for how in places() {
        let (actor, drops) = started(&runtime, &how);
        let inbox = runtime.inbox();
        for asker in runtime
            .workers()
            .into_iter()
            .map(|worker| Spawn::new().pinned_on(worker))
            .chain([Spawn::new().blocked()])
        {
            let (actor, to) = (actor.clone(), inbox.address());
            let asks = async move {
                for _ in 0..100 {
                    actor.send(Add(1));
                    actor.ask(Get).await?;
                }
                to.send(());
                Ok::<_, AskError>(())
            };
            runtime.spawn_with(&asker, asks).unwrap();
        }
        for _ in 0..4 {
            assert_eq!(inbox.recv_timeout(Duration::from_secs(60)), Ok(()));
        }
        assert_eq!(actor.ask(Get).wait(), Ok(400));
        runtime.kill(&actor);
        assert_dropped_at_home(&drops);
    }
}

#[test]
fn a_struct_may_be_local_too() {
    let _watchdog = support::watchdog(120);
    let runtime = runtime();
    let (dropped, drops) = mpsc::channel();
    let cellar = runtime.spawn_pinned_local(move || Cellar(Note::new(dropped)));
    cellar.send(Add(5));
    assert_eq!(cellar.ask(Get).wait(), Ok(5));
    runtime.send_exit(&cellar, ExitReason::Shutdown);
    assert_dropped_at_home(&drops);
}

#[test]
fn its_own_ends() {
    let _watchdog = support::watchdog(120);
    let runtime = runtime();
    for how in places() {
        for (last, reason) in [(0, "normal"), (99, "error: too much"), (13, "panic")] {
            let (actor, drops) = started(&runtime, &how);
            let watched = runtime.inbox();
            let (pid, to) = (actor.pid(), watched.address());
            runtime.spawn(async move {
                let monitor = monitor(pid);
                to.send(ExitReason::Normal);
                let down: Down = receive().await;
                assert_eq!(down.monitor, monitor);
                to.send(down.reason);
            });
            watched.recv_timeout(Duration::from_secs(60)).unwrap();
            actor.send(Add(last));
            assert_dropped_at_home(&drops);
            let told = watched.recv_timeout(Duration::from_secs(60)).unwrap();
            assert!(told.to_string().starts_with(reason), "{told}");
        }
    }
}

#[test]
fn ends_that_come_from_others() {
    let _watchdog = support::watchdog(120);
    let runtime = runtime();
    for how in places() {
        // A kill from a plain thread.
        let (actor, drops) = started(&runtime, &how);
        runtime.kill(&actor);
        assert_dropped_at_home(&drops);
        // From each worker.
        for worker in runtime.workers() {
            let (actor, drops) = started(&runtime, &how);
            let kills = async move { kill(&actor) };
            runtime.spawn_pinned_on(worker, kills).unwrap();
            assert_dropped_at_home(&drops);
        }
        // From a lane.
        let (actor, drops) = started(&runtime, &how);
        runtime.spawn_blocked(async move { kill(&actor) });
        assert_dropped_at_home(&drops);
        // A linked one dies.
        let (dropped, drops) = mpsc::channel();
        let how = how.clone().link();
        runtime.spawn(async move {
            let build = move || adder(Note::new(dropped));
            let actor = how.spawn_local(build).unwrap();
            actor.ask(Get).await?;
            Err::<(), _>(AskError::Timeout)
        });
        assert_dropped_at_home(&drops);
    }
}

#[test]
fn a_shutdown_and_the_end_of_run() {
    let _watchdog = support::watchdog(120);
    for how in places() {
        let runtime = runtime();
        let all: Vec<_> = (0..8).map(|_| started(&runtime, &how)).collect();
        let report = runtime.shutdown(Duration::from_secs(10));
        assert!(report.ended && report.stuck.is_empty());
        all.iter()
            .for_each(|(_, drops)| assert_dropped_at_home(drops));

        let (dropped, drops) = mpsc::channel();
        let inside = how.clone();
        let reason = Runtime::builder().workers(2).run(async move {
            let actor = inside.spawn_local(move || adder(Note::new(dropped)))?;
            assert_eq!(actor.ask(Get).await, Ok(0));
            Ok::<_, SpawnError>(())
        });
        assert_eq!(reason, ExitReason::Normal);
        assert_eq!(drops.try_recv(), Ok(true), "before `run` returns");
    }
}

/// A closure that counts its drops, and one actor made by it.
fn unborn(
    count: &Arc<AtomicUsize>,
    built: &Arc<AtomicUsize>,
) -> impl FnOnce() -> std::future::Pending<()> + Send + use<> {
    let (count, built) = (Arc::clone(count), Arc::clone(built));
    let guard = support::OnDrop(move || {
        count.fetch_add(1, Ordering::SeqCst);
    });
    move || {
        drop(guard);
        built.fetch_add(1, Ordering::SeqCst);
        pending()
    }
}

// Before its first poll, while its thread is busy: killed, and by a shutdown.
#[test]
fn one_that_has_not_run_is_never_built() {
    let _watchdog = support::watchdog(120);
    for shut_down in [false, true] {
        let (count, built) = <(Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
        let runtime = runtime();
        let here = WorkerId::new(1);
        let (release, wait) = mpsc::channel::<()>();
        let (told, busy) = mpsc::channel();
        let hold = async move {
            told.send(()).unwrap();
            let _ = wait.recv();
        };
        runtime.spawn_pinned_on(here, hold).unwrap();
        busy.recv().unwrap();
        let how = Spawn::new().pinned_on(here);
        let actor = runtime
            .spawn_local_with(&how, unborn(&count, &built))
            .unwrap();
        if shut_down {
            runtime.shutdown(Duration::ZERO);
        } else {
            runtime.kill(&actor);
        }
        assert!(!actor.is_alive());
        drop(release);
        while count.load(Ordering::SeqCst) == 0 {
            thread::yield_now();
        }
        assert_eq!(built.load(Ordering::SeqCst), 0);
        // And after the end.
        drop(runtime.shutdown(Duration::from_secs(10)));
        let late = runtime.spawn_pinned_local(unborn(&count, &built));
        assert!(!late.is_alive());
        let late = runtime.spawn_local_with(&Spawn::new().dedicated(), unborn(&count, &built));
        assert_eq!(late.unwrap_err(), SpawnError::ShuttingDown);
        assert_eq!(count.load(Ordering::SeqCst), 3);
        assert_eq!(built.load(Ordering::SeqCst), 0);
    }
}

// Killed while its thread is busy with its own code, and with another's.
#[test]
fn killed_while_its_thread_is_busy() {
    let _watchdog = support::watchdog(120);
    let runtime = runtime();
    for how in places() {
        let (dropped, drops) = mpsc::channel();
        let (release, wait) = mpsc::channel::<()>();
        let (told, busy) = mpsc::channel();
        let build = move || {
            let note = Note::new(dropped);
            async move {
                let _note = note;
                told.send(()).unwrap();
                let _ = wait.recv();
                pending::<()>().await
            }
        };
        let actor = runtime.spawn_local_with(&how, build).unwrap();
        busy.recv().unwrap();
        runtime.kill(&actor);
        thread::sleep(Duration::from_millis(30));
        assert!(drops.try_recv().is_err(), "not under the feet of its code");
        drop(release);
        assert_dropped_at_home(&drops);
    }
    // Another actor has its worker.
    let here = WorkerId::new(1);
    let (actor, drops) = started(&runtime, &Spawn::new().pinned_on(here));
    let (release, wait) = mpsc::channel::<()>();
    let (told, busy) = mpsc::channel();
    let hold = async move {
        told.send(()).unwrap();
        let _ = wait.recv();
    };
    runtime.spawn_pinned_on(here, hold).unwrap();
    busy.recv().unwrap();
    runtime.kill(&actor);
    thread::sleep(Duration::from_millis(30));
    assert!(drops.try_recv().is_err());
    drop(release);
    assert_dropped_at_home(&drops);
}

// A panic in the closure is the actor's.
#[test]
fn a_closure_that_panics_ends_its_actor() {
    let runtime = Runtime::builder().manual();
    let actor = runtime.spawn_pinned_local(|| -> std::future::Pending<()> { panic!("no actor") });
    let end = support::end_of(&actor);
    runtime.run_until_idle();
    let reason = support::block_on(end);
    assert!(reason.to_string().contains("no actor"), "{reason}");
}

both! {
    // Links and monitors of a local actor, whatever the schedule.
    async fn it_is_tied_as_others_are() {
        trap_exit(true);
        for how in places() {
            let (dropped, drops) = mpsc::channel();
            let how = match how.clone().spawn_local(|| async {}) {
                // The runtime of the test may have one worker.
                Err(SpawnError::NoSuchWorker(_)) => Spawn::new(),
                _ => how,
            };
            let (actor, monitor) = how
                .link()
                .spawn_local_monitor(move || adder(Note::new(dropped)))
                .unwrap();
            actor.send(Add(2));
            assert_eq!(actor.ask(Get).await, Ok(2));
            actor.send(Add(99));
            let down: Down = receive().await;
            assert_eq!((down.monitor, down.pid), (monitor, actor.pid()));
            let exit = receive_if(|exit: &Exit| exit.reason != ExitReason::Normal).await;
            assert_eq!((exit.from, exit.reason.to_string()), (actor.pid(), "error: too much".to_owned()));
            assert_eq!(drops.try_recv(), Ok(true));
        }
    }
}
