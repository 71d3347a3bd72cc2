//! How structs with handlers end when they are told to shut down.

mod support;

use std::sync::mpsc::{self, Receiver, Sender};

use support::{DropCounter, Token, Watch, end_of, until_stop};
use uproar::prelude::*;
use uproar::{Handle, ManualRuntime, Runtime, ShutdownReport};

const HOUR: Duration = Duration::from_secs(3600);

/// A runtime of either kind.
enum Driver {
    Threads(Runtime),
    Manual(ManualRuntime),
}

impl Driver {
    fn handle(&self) -> &Handle {
        match self {
            Driver::Threads(runtime) => runtime,
            Driver::Manual(runtime) => runtime,
        }
    }

    /// Waits for word from an actor.
    fn wait_for(&self, what: &'static str, told: &Receiver<&'static str>) {
        if let Driver::Manual(runtime) = self {
            // Not until idle: what the actor waits for would come.
            while runtime.tick() == uproar::Tick::Ran {}
        }
        assert_eq!(told.recv(), Ok(what));
    }

    /// Another one of its kind.
    fn like(&self) -> Driver {
        match self {
            Driver::Threads(_) => Driver::Threads(Runtime::builder().workers(1).start().unwrap()),
            Driver::Manual(_) => Driver::Manual(Runtime::builder().manual()),
        }
    }

    fn shutdown(&self, grace: Duration) -> ShutdownReport {
        match self {
            Driver::Threads(runtime) => runtime.shutdown(grace),
            Driver::Manual(runtime) => runtime.shutdown(grace),
        }
    }
}

/// Runs a test on threads, and under seeds.
fn on_each(test: impl Fn(&Driver)) {
    let _watchdog = support::watchdog(120);
    for workers in [1, 2] {
        test(&Driver::Threads(
            Runtime::builder().workers(workers).start().unwrap(),
        ));
    }
    for seed in 0..50 {
        test(&Driver::Manual(Runtime::builder().seed(seed).manual()));
    }
}

/// What an actor does at some point of its life, after it has said so.
#[derive(Clone, Copy, Default)]
enum Plan {
    #[default]
    Nothing,
    /// Waits for the shutdown to begin, then a little.
    OutliveTheSignal,
    Sleep(Duration),
    /// Receives one `Late`, that comes after the shutdown has begun.
    ReceiveLate,
    Panic,
    Fail,
}

struct Work;
struct Late;

/// Tells what it does.
struct Worker {
    told: Sender<&'static str>,
    start: Plan,
    work: Plan,
    stop: Plan,
    _token: Option<Token>,
}

impl Worker {
    fn new() -> (Self, Receiver<&'static str>) {
        let (told, hears) = mpsc::channel();
        let worker = Worker {
            told,
            start: Plan::Nothing,
            work: Plan::Nothing,
            stop: Plan::Nothing,
            _token: None,
        };
        (worker, hears)
    }

    fn tell(&self, what: &'static str) {
        self.told.send(what).unwrap();
    }
}

/// Until the runtime shuts down, and everyone has heard of it.
async fn outlive_the_signal() {
    while Spawn::new().spawn(async {}).is_ok() {
        yield_now().await;
    }
    sleep(Duration::from_millis(50)).await;
}

#[actor(receives(Watch))]
impl Worker {
    async fn on_start(&mut self) -> Result<(), &'static str> {
        self.tell("start");
        self.follow(self.start).await?;
        self.tell("started");
        Ok(())
    }

    #[receive]
    async fn work(&mut self, _: Work) -> &'static str {
        self.tell("work");
        let outcome = self.follow(self.work).await;
        self.tell("worked");
        outcome.err().unwrap_or("done")
    }

    async fn follow(&mut self, plan: Plan) -> Result<(), &'static str> {
        match plan {
            Plan::Nothing => {}
            Plan::OutliveTheSignal => outlive_the_signal().await,
            Plan::Sleep(time) => sleep(time).await,
            Plan::ReceiveLate =>
            {
                #[receive]
                match receive().await {
                    Late => self.tell("late"),
                }
            }
            Plan::Panic => panic!("as planned"),
            Plan::Fail => return Err("as planned"),
        }
        Ok(())
    }

    async fn on_stop(&mut self, reason: &ExitReason) -> Result<(), &'static str> {
        assert_eq!(*reason, ExitReason::Shutdown);
        self.tell("stop");
        self.follow(self.stop).await?;
        self.tell("stopped");
        Ok(())
    }
}

fn all(told: &Receiver<&'static str>) -> Vec<&'static str> {
    told.try_iter().collect()
}

// [R56] one that waits for its next message stops at once, in order.
#[test]
fn an_idle_actor_stops_at_once() {
    on_each(|driver| {
        let drops = DropCounter::new();
        let (mut worker, told) = Worker::new();
        worker._token = Some(drops.token());
        let worker = driver.handle().spawn(worker);
        let end = end_of(&worker);
        driver.wait_for("start", &told);
        driver.wait_for("started", &told);
        let report = driver.shutdown(HOUR);
        assert_eq!((report.ended, report.killed), (true, 0));
        assert_eq!(all(&told), ["stop", "stopped"]);
        assert_eq!(support::block_on(end), ExitReason::Shutdown);
        assert_eq!(drops.count(), 1);
        assert!(!worker.is_alive());
    });
}

// [R60] however its mailbox is bounded: the signal takes no room and is seen at once.
#[test]
fn a_full_mailbox_delays_no_stop() {
    on_each(|driver| {
        for mailbox in [
            Mailbox::bounded(1),
            Mailbox::bounded(1).drop_newest(),
            Mailbox::bounded(1).drop_oldest(),
        ] {
            let (mut worker, told) = Worker::new();
            worker.work = Plan::ReceiveLate;
            let runtime = driver.like();
            let how = Spawn::new().mailbox(mailbox);
            let worker = runtime.handle().spawn_with(&how, worker).unwrap();
            let done = worker.call(Work);
            runtime.wait_for("start", &told);
            runtime.wait_for("started", &told);
            runtime.wait_for("work", &told);
            worker.send(Work);
            worker.send(Work);
            // What is waited for inside does not come any more.
            let report = runtime.shutdown(Duration::from_millis(10));
            assert_eq!((report.ended, report.killed), (true, 1));
            assert_eq!(all(&told), [""; 0]);
            let done = support::block_on(done);
            assert_eq!(done, Err(AskError::Gone(ExitReason::Killed)));

            let (worker, told) = Worker::new();
            let runtime = driver.like();
            let worker = runtime.handle().spawn_with(&how, worker).unwrap();
            runtime.wait_for("start", &told);
            runtime.wait_for("started", &told);
            assert_eq!(runtime.shutdown(HOUR).killed, 0);
            assert_eq!(all(&told), ["stop", "stopped"]);
            assert!(!worker.is_alive());
        }
    });
}

// The handler it is in is finished and its caller gets the reply; what is queued is not handled.
#[test]
fn the_handler_in_progress_is_finished() {
    on_each(|driver| {
        let (mut worker, told) = Worker::new();
        worker.work = Plan::OutliveTheSignal;
        let worker = driver.handle().spawn(worker);
        let end = end_of(&worker);
        let (done, queued) = (worker.call(Work), worker.call(Work));
        if let Driver::Threads(_) = driver {
            driver.wait_for("start", &told);
            driver.wait_for("started", &told);
            driver.wait_for("work", &told);
        } else {
            while told.try_recv() != Ok("work") {
                let Driver::Manual(runtime) = driver else {
                    unreachable!()
                };
                runtime.tick();
            }
        }
        let report = driver.shutdown(HOUR);
        assert_eq!((report.ended, report.killed), (true, 0));
        assert_eq!(all(&told), ["worked", "stop", "stopped"]);
        assert_eq!(support::block_on(done), Ok("done"));
        let queued = support::block_on(queued);
        assert_eq!(queued, Err(AskError::Gone(ExitReason::Shutdown)));
        assert_eq!(support::block_on(end), ExitReason::Shutdown);
    });
}

// [R57] a handler that receives still gets what others send during the grace.
#[test]
fn a_handler_that_waits_inside_goes_on() {
    on_each(|driver| {
        let (mut worker, told) = Worker::new();
        worker.work = Plan::ReceiveLate;
        let worker = driver.handle().spawn(worker);
        let done = worker.call(Work);
        driver.wait_for("start", &told);
        driver.wait_for("started", &told);
        driver.wait_for("work", &told);
        let (told_by_sender, sender_told) = mpsc::channel();
        let sender = driver.handle().spawn(LateSender(worker, told_by_sender));
        sender.send(Work);
        if let Driver::Threads(_) = driver {
            driver.wait_for("sending", &sender_told);
        } else {
            while sender_told.try_recv() != Ok("sending") {
                let Driver::Manual(runtime) = driver else {
                    unreachable!()
                };
                runtime.tick();
            }
        }
        let report = driver.shutdown(HOUR);
        assert_eq!((report.ended, report.killed), (true, 0));
        assert_eq!(all(&told), ["late", "worked", "stop", "stopped"]);
        assert_eq!(support::block_on(done), Ok("done"));
    });
}

/// Sends a `Late` once the shutdown has begun.
struct LateSender(Address<Worker>, Sender<&'static str>);

#[actor]
impl LateSender {
    #[receive]
    async fn work(&mut self, _: Work) {
        self.1.send("sending").unwrap();
        outlive_the_signal().await;
        self.0.send(Late);
    }
}

// [R56][R27] the grace is over: killed where it waits, with no more code of its own.
#[test]
fn a_handler_that_takes_too_long_is_killed() {
    on_each(|driver| {
        let drops = DropCounter::new();
        let (mut worker, told) = Worker::new();
        worker.work = Plan::Sleep(HOUR);
        worker._token = Some(drops.token());
        let worker = driver.handle().spawn(worker);
        let (end, work) = (end_of(&worker), worker.call(Work));
        driver.wait_for("start", &told);
        driver.wait_for("started", &told);
        driver.wait_for("work", &told);
        let report = driver.shutdown(Duration::from_millis(10));
        assert_eq!(
            (report.ended, report.killed, report.stuck.len()),
            (true, 1, 0)
        );
        assert_eq!(all(&told), [""; 0]);
        assert_eq!(support::block_on(end), ExitReason::Killed);
        let work = support::block_on(work);
        assert_eq!(work, Err(AskError::Gone(ExitReason::Killed)));
        assert_eq!(drops.count(), 1);
    });
}

// `on_stop` has the grace too, and no longer.
#[test]
fn on_stop_that_takes_too_long_is_killed() {
    on_each(|driver| {
        let (mut worker, told) = Worker::new();
        worker.stop = Plan::Sleep(HOUR);
        let worker = driver.handle().spawn(worker);
        let end = end_of(&worker);
        driver.wait_for("start", &told);
        driver.wait_for("started", &told);
        let report = driver.shutdown(Duration::from_millis(10));
        assert_eq!((report.ended, report.killed), (true, 1));
        assert_eq!(all(&told), ["stop"]);
        assert_eq!(support::block_on(end), ExitReason::Killed);
    });
}

// What goes wrong while stopping is the reason.
#[test]
fn a_failed_stop_is_the_reason() {
    on_each(|driver| {
        for plan in [Plan::Fail, Plan::Panic] {
            let (mut worker, told) = Worker::new();
            worker.stop = plan;
            let runtime = driver.like();
            let worker = runtime.handle().spawn(worker);
            let end = end_of(&worker);
            runtime.wait_for("start", &told);
            runtime.wait_for("started", &told);
            runtime.shutdown(HOUR);
            assert_eq!(all(&told), ["stop"]);
            let end = support::block_on(end);
            match plan {
                Plan::Fail => assert_eq!(end, ExitReason::error("as planned")),
                _ => assert!(matches!(end, ExitReason::Panic(_))),
            }
        }
    });
}

// Told while it starts, it starts, and then stops; nothing is handled in between.
#[test]
fn an_actor_that_starts_stops_when_it_has_started() {
    on_each(|driver| {
        let (mut worker, told) = Worker::new();
        worker.start = Plan::OutliveTheSignal;
        let worker = driver.handle().spawn(worker);
        let work = worker.call(Work);
        if let Driver::Manual(runtime) = driver {
            while told.try_recv() != Ok("start") {
                runtime.tick();
            }
        } else {
            driver.wait_for("start", &told);
        }
        let report = driver.shutdown(HOUR);
        assert_eq!((report.ended, report.killed), (true, 0));
        assert_eq!(all(&told), ["started", "stop", "stopped"]);
        let work = support::block_on(work);
        assert_eq!(work, Err(AskError::Gone(ExitReason::Shutdown)));
    });
}

// [R27] told before it runs, it never does; and neither does `on_stop`.
#[test]
fn an_actor_that_has_not_run_never_does() {
    let runtime = Runtime::builder().manual();
    let drops = DropCounter::new();
    let (mut worker, told) = Worker::new();
    worker._token = Some(drops.token());
    let worker = runtime.spawn(worker);
    let end = end_of(&worker);
    let report = runtime.shutdown(HOUR);
    assert_eq!((report.ended, report.killed), (true, 0));
    assert_eq!(all(&told), [""; 0]);
    assert_eq!(support::block_on(end), ExitReason::Shutdown);
    assert_eq!(drops.count(), 1);
}

// [R56] the end of the main actor stops the others as a shutdown does; plain actors
// beside them end where they wait.
#[test]
fn the_end_of_main_is_a_graceful_stop() {
    let _watchdog = support::watchdog(60);
    for workers in [1, 3] {
        let drops = DropCounter::new();
        let (worker, told) = Worker::new();
        let token = drops.token();
        let reason = Runtime::builder().workers(workers).run(async move {
            spawn(async move {
                let _token = token;
                until_stop().await;
            });
            let worker = spawn(worker);
            worker.call(Work).await.map(|_| ())
        });
        assert_eq!(reason, ExitReason::Normal);
        assert_eq!(
            all(&told),
            ["start", "started", "work", "worked", "stop", "stopped"]
        );
        assert_eq!(drops.count(), 1);
    }
}

// A second `Shutdown` changes nothing: a stop that is under way goes on.
#[test]
fn a_second_shutdown_joins_the_first() {
    let _watchdog = support::watchdog(60);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let (mut worker, told) = Worker::new();
    worker.work = Plan::OutliveTheSignal;
    let worker = runtime.spawn(worker);
    let done = worker.call(Work);
    for what in ["start", "started", "work"] {
        assert_eq!(told.recv(), Ok(what));
    }
    let other = runtime.handle();
    let second = std::thread::spawn(move || other.shutdown(HOUR));
    assert_eq!(runtime.shutdown(HOUR).killed, 0);
    assert_eq!(second.join().unwrap().killed, 0);
    assert_eq!(all(&told), ["worked", "stop", "stopped"]);
    assert_eq!(done.wait(), Ok("done"));
}
