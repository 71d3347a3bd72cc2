//! Events that take threads. They come from threads of the runtime's own, so the subscriber
//! is one for the whole program; what each test looks at is what its runtime's threads said.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Instant;

use tracing::level_filters::LevelFilter;
use uproar::Runtime;
use uproar::prelude::*;

use super::recorder::{Line, Recorder};
use super::support::watchdog;
use super::table;

fn recorder() -> &'static Recorder {
    static RECORDER: OnceLock<Recorder> = OnceLock::new();
    RECORDER.get_or_init(|| {
        let recorder = Recorder::new("uproar::", LevelFilter::TRACE);
        tracing::subscriber::set_global_default(recorder.clone()).unwrap();
        recorder
    })
}

/// A runtime, and what its threads have said so far.
pub struct Heard {
    pub runtime: Runtime,
    threads: String,
}

impl Heard {
    pub fn start(builder: uproar::Builder) -> Heard {
        recorder();
        let runtime = builder.start().unwrap();
        let (named, name) = mpsc::channel();
        runtime.spawn(async move {
            named
                .send(thread::current().name().unwrap().to_owned())
                .unwrap();
        });
        let name = name.recv().unwrap();
        let threads = name[..name.rfind("worker").unwrap()].to_owned();
        Heard { runtime, threads }
    }

    pub fn lines(&self) -> Vec<Line> {
        let lines = recorder().of_threads(&self.threads);
        table::check(&lines);
        lines
    }

    pub fn of(&self, message: &str) -> Vec<Line> {
        let mut lines = self.lines();
        lines.retain(|line| line.message == message);
        lines
    }

    /// Waits for a message. The watchdog ends it.
    pub fn wait_for(&self, message: &str) -> Line {
        loop {
            if let Some(line) = self.of(message).pop() {
                return line;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Blocks the thread until told.
fn blocked(until: &AtomicBool) {
    while !until.load(Ordering::SeqCst) {
        thread::sleep(Duration::from_millis(1));
    }
}

/// An actor that blocks its worker until told. It does so when this returns.
fn stuck_actor(runtime: &Runtime) -> (Address<Anything>, Arc<AtomicBool>) {
    let until = Arc::new(AtomicBool::new(false));
    let (told, begun) = mpsc::channel();
    let seen = Arc::clone(&until);
    let actor = runtime.spawn(async move {
        told.send(()).unwrap();
        blocked(&seen);
    });
    begun.recv().unwrap();
    (actor, until)
}

fn sum(lines: &[Line], field: &str) -> u64 {
    lines
        .iter()
        .map(|line| line.get(field).parse::<u64>().unwrap())
        .sum()
}

#[test]
pub fn work_is_stolen() {
    let _watchdog = watchdog(120);
    let heard = Heard::start(Runtime::builder().workers(2));
    heard.wait_for("parks");
    let done = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&done);
    heard.runtime.spawn(async move {
        for _ in 0..64 {
            let count = Arc::clone(&count);
            spawn(async move {
                count.fetch_add(1, Ordering::SeqCst);
            });
        }
        // Held up here: only a thief can run one of them.
        while count.load(Ordering::SeqCst) == 0 {
            thread::yield_now();
        }
    });
    while done.load(Ordering::SeqCst) < 64 || heard.runtime.stats().live > 0 {
        thread::yield_now();
    }
    heard.wait_for("woke up");
    heard.runtime.shutdown(Duration::from_secs(1));
    while heard.of("stole").is_empty() {
        thread::yield_now();
    }
    let stats = heard.runtime.stats();
    let stole = heard.of("stole");
    assert!(
        stole
            .iter()
            .all(|line| line.get("worker") != line.get("victim"))
    );
    let steals: u64 = stats.workers.iter().map(|worker| worker.steals).sum();
    assert_eq!(sum(&stole, "count"), steals);
}

#[test]
pub fn an_overlong_slice_names_its_actor() {
    let _watchdog = watchdog(120);
    let heard = Heard::start(Runtime::builder().workers(1));
    let (actor, until) = stuck_actor(&heard.runtime);
    // A busy machine may make the slice of another overlong.
    let pid = actor.pid().to_string();
    let of_it = || {
        let mut lines = heard.of("a slice is overlong");
        lines.retain(|line| line.get("pid") == pid);
        lines
    };
    while of_it().is_empty() {
        thread::yield_now();
    }
    // It lasts on, and is told once.
    thread::sleep(Duration::from_millis(50));
    until.store(true, Ordering::SeqCst);
    let lines = of_it();
    assert_eq!(lines.len(), 1);
    let line = &lines[0];
    assert_eq!(line.get("worker"), "0");
    assert!(line.get("actor").contains("stuck_actor"));
    assert!(line.thread.ends_with("reactor"));
}

#[test]
pub fn who_is_given_up_ends_once() {
    let _watchdog = watchdog(120);
    let heard = Heard::start(Runtime::builder().workers(2));
    let (actor, until) = stuck_actor(&heard.runtime);
    heard.runtime.kill(&actor);
    let given_up = "killed in the middle of its code: it counts as dead, and its thread is busy \
                    until the code returns";
    heard.wait_for(given_up);
    until.store(true, Ordering::SeqCst);
    heard.wait_for("the code of an actor that counted as dead has returned");
    let pid = actor.pid().to_string();
    let mut lines = heard.lines();
    lines.retain(|line| line.target == "uproar::exit" && line.get("pid") == pid);
    let messages: Vec<_> = lines.iter().map(|line| &*line.message).collect();
    assert_eq!(
        messages,
        [
            given_up,
            "the code of an actor that counted as dead has returned"
        ]
    );
}

// The report names it once, though it was killed before the end killed everyone.
#[test]
pub fn who_never_comes_back_is_left_behind() {
    let _watchdog = watchdog(120);
    let heard = Heard::start(Runtime::builder().workers(1));
    let (actor, until) = stuck_actor(&heard.runtime);
    heard.runtime.kill(&actor);
    let start = Instant::now();
    let report = heard.runtime.shutdown(Duration::from_millis(10));
    assert!(report.ended && start.elapsed() < Duration::from_secs(60));
    assert_eq!(report.stuck.len(), 1);
    let message = "an actor does not come back from its own code; its thread is left to itself";
    // By the reactor's thread, or by this one if it has been given up before.
    let mut left = heard.of(message);
    let own = recorder().of_threads(thread::current().name().unwrap());
    left.extend(own.into_iter().filter(|line| line.message == message));
    assert_eq!(left.len(), 1);
    table::check(&left);
    assert_eq!(left[0].get("pid"), actor.pid().to_string());
    until.store(true, Ordering::SeqCst);
}

/// An actor that waits for something else, one that blocks its worker, an inbox that nobody
/// reads: somebody else looks.
#[test]
pub fn long_mailboxes_that_nobody_drains() {
    let _watchdog = watchdog(120);
    let heard = Heard::start(Runtime::builder().workers(2).mailbox_alarm(100));
    let waits: Address<Anything> = heard.runtime.spawn(std::future::pending::<()>());
    let (stuck, until) = stuck_actor(&heard.runtime);
    let inbox = heard.runtime.inbox::<usize>();
    let below: Address<Anything> = heard.runtime.spawn(std::future::pending::<()>());
    let to = inbox.address();
    for n in 0..101 {
        waits.send(n);
        stuck.send(n);
        to.send(n);
        if n < 100 {
            below.send(n);
        }
    }
    let message = "a mailbox is long";
    while heard.of(message).len() < 3 {
        thread::sleep(Duration::from_millis(10));
    }
    thread::sleep(Duration::from_millis(1500));
    until.store(true, Ordering::SeqCst);
    let mut pids: Vec<_> = heard
        .of(message)
        .iter()
        .map(|line| line.get("pid").to_owned())
        .collect();
    let mut expected = [waits.pid(), stuck.pid(), inbox.address().pid()].map(|pid| pid.to_string());
    pids.sort();
    expected.sort();
    assert_eq!(pids, expected);
    assert!(
        heard
            .of(message)
            .iter()
            .all(|line| line.get("length") == "101")
    );
}
