//! What is said of threads and of who blocks them.

use std::sync::mpsc;
use std::thread;

use tracing::level_filters::LevelFilter;
use uproar::prelude::*;
use uproar::{Affinity, Runtime};

use super::recorder::Recorder;
use super::support::watchdog;
use super::table;
use super::threads::Heard;

#[test]
pub fn who_blocks_its_worker_is_named() {
    let _watchdog = watchdog(120);
    let heard = Heard::start(
        Runtime::builder()
            .workers(1)
            .slice_alarm(Duration::from_millis(20)),
    );
    let (release, wait) = mpsc::channel::<()>();
    let blocks = heard.runtime.spawn(async move {
        let _ = wait.recv();
    });
    let line = heard.wait_for(
        "an actor blocks its worker; spawn it with `spawn_blocked`, or let it await now and then",
    );
    assert_eq!(line.get("pid"), blocks.pid().to_string());
    assert_eq!((line.get("worker"), line.get("limit")), ("0", "20ms"));
    drop(release);
}

#[test]
pub fn lanes_that_are_all_busy_are_told() {
    let _watchdog = watchdog(120);
    let heard = Heard::start(Runtime::builder().workers(1).blocking_threads(1));
    let (release, wait) = mpsc::channel::<()>();
    heard.runtime.spawn_blocked(async move {
        let _ = wait.recv();
    });
    heard.runtime.spawn_blocked(async {});
    let line =
        heard.wait_for("all lanes have been busy for a second; see `Builder::blocking_threads`");
    assert_eq!((line.get("lanes"), line.get("queued")), ("1", "1"));
    assert!(line.get("such_as").contains("lanes_that_are_all_busy"));
    drop(release);
}

/// No machine has room for such a stack, so its threads can't be started.
const TOO_LARGE: usize = 1 << 47;

#[test]
pub fn a_thread_that_is_refused_is_told() {
    let _watchdog = watchdog(120);
    let recorder = Recorder::new("uproar::scheduler", LevelFilter::WARN);
    let lines = recorder.record(|| {
        let builder = Runtime::builder().workers(1).stack_size(TOO_LARGE);
        let reason = builder.run(async {
            let in_line = spawn_blocked(async {});
            let own = Spawn::new().dedicated().spawn(async {});
            assert_eq!(own.unwrap_err(), SpawnError::NoThread);
            sleep(Duration::from_millis(20)).await;
            assert!(in_line.is_alive(), "and waits");
        });
        // It ends all the same.
        assert_eq!(reason, ExitReason::Normal);
    });
    table::check(&lines);
    let messages: Vec<_> = lines.iter().map(|line| &*line.message).collect();
    let (lane, own) = (
        "no thread can be started for blocking actors",
        "no thread can be started for a dedicated actor",
    );
    assert_eq!(messages, [lane, own], "and again only after a success");
}

#[test]
pub fn a_cpu_that_is_refused_is_told() {
    let _watchdog = watchdog(120);
    let nowhere = Affinity::Fixed(vec![100_000]);
    let heard = Heard::start(Runtime::builder().workers(1).affinity(nowhere));
    let line = heard.wait_for("a thread can't be bound to its CPU");
    assert_eq!(line.get("cpus"), "[100000]");
}

#[test]
pub fn a_future_that_may_not_be_dropped_here_is_told() {
    let _watchdog = watchdog(120);
    let elsewhere = thread::spawn(|| {
        let runtime = Runtime::builder().manual();
        runtime.spawn_pinned_local(std::future::pending::<()>);
        runtime.run_until_idle();
        runtime
    });
    let runtime = elsewhere.join().unwrap();
    let recorder = Recorder::new("uproar::exit", LevelFilter::ERROR);
    let lines = recorder.record(|| drop(runtime));
    table::check(&lines);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].message.ends_with("its future is leaked"));
}

/// What an actor says on a lane is in its span, which names no worker.
#[test]
fn the_span_of_a_blocking_actor() {
    let recorder = Recorder::new("", LevelFilter::DEBUG);
    let lines = recorder.record(|| {
        let runtime = Runtime::builder().manual();
        runtime.block_on(async {
            let (_, monitor) = Spawn::new()
                .blocked()
                .spawn_monitor(async { tracing::info!(target: "mine", "on a lane") })
                .unwrap();
            assert_eq!(receive::<Down>().await.monitor, monitor);
        });
    });
    let own = lines.iter().find(|line| line.target == "mine").unwrap();
    let span = own.span.as_ref().unwrap();
    assert_eq!((&*span.message, span.get("worker")), ("actor", "-"));
}
