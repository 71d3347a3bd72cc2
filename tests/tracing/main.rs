//! What is traced, as a subscriber sees it: each row of the guide's table, once.
//!
//! What is seen on a manual runtime is in here; what takes threads is in `threads`.

#[cfg(target_os = "linux")]
mod io;
mod long_mailbox;
mod placement;
mod recorder;
mod span;
#[path = "../support/mod.rs"]
mod support;
mod table;
mod threads;

use std::cell::Cell;

use recorder::{Line, Recorder};
use tracing::level_filters::LevelFilter;
use uproar::prelude::*;
use uproar::{ManualRuntime, Runtime};

/// The events of one target on a manual runtime, which is still there when they are taken.
fn events(target: &'static str, body: impl FnOnce(&ManualRuntime)) -> Vec<Line> {
    let runtime = Runtime::builder().workers(1).manual();
    let lines = Recorder::new(target, LevelFilter::TRACE).record(|| body(&runtime));
    table::check(&lines);
    lines
}

/// The same, of an actor that runs to its end.
fn events_of(target: &'static str, body: impl AsyncFnOnce()) -> Vec<Line> {
    events(target, |runtime| runtime.block_on(body()))
}

/// Their texts with some fields.
fn texts(lines: &[Line], fields: &[&str]) -> Vec<String> {
    lines.iter().map(|line| line.with(fields)).collect()
}

struct Withdraw(u64);
struct Reset(u64);
struct Get;

#[derive(Debug)]
struct Overdrawn {
    #[expect(dead_code, reason = "read by `Debug`")]
    by: u64,
}

/// An error without `Debug`, and an alias of `Result`.
struct Mute;
type Outcome<T> = Result<T, Mute>;

struct Account(u64);

#[actor]
impl Account {
    #[receive]
    async fn withdraw(&mut self, Withdraw(n): Withdraw) -> Result<u64, Overdrawn> {
        match self.0.checked_sub(n) {
            Some(left) => {
                self.0 = left;
                Ok(left)
            }
            None => Err(Overdrawn { by: n - self.0 }),
        }
    }

    #[receive]
    fn reset(&mut self, Reset(n): Reset) -> Outcome<u64> {
        if n == 0 { Err(Mute) } else { Ok(n) }
    }

    #[receive]
    fn get(&mut self, _: Get) -> u64 {
        self.0
    }
}

// An error that nobody waits for is traced; a reply, an `Ok`, a number are not.
#[test]
fn an_unheard_error_is_traced() {
    let lines = events_of("uproar::handler", async || {
        let account = spawn(Account(10));
        account.send(Withdraw(1));
        account.send(Get);
        account.send(Withdraw(12));
        account.send(Reset(0));
        assert!(account.call(Withdraw(13)).await.unwrap().is_err());
        assert!(account.call(Reset(0)).await.unwrap().is_err());
        assert_eq!(account.call(Get).await, Ok(9));
    });
    assert_eq!(
        texts(&lines, &["handler", "error"]),
        [
            "a handler failed, and nobody waits for its reply handler=withdraw error=Overdrawn { by: 3 }"
        ]
    );
    assert!(lines[0].get("actor").contains("Account"));
}

#[test]
fn lives_and_ends() {
    let (parent, child) = (Cell::new(None), Cell::new(None));
    let lines = events("uproar::", |runtime| {
        runtime.block_on(async {
            parent.set(Some(self_pid()));
            let quiet = spawn(async {});
            child.set(Some(quiet.pid()));
            spawn(async { Err::<(), _>("no disk") });
            spawn(async { panic!("as an example") });
            spawn(std::future::pending::<()>());
            yield_now().await;
            while quiet.is_alive() {
                yield_now().await;
            }
        });
        runtime.run_until_idle();
    });
    let (parent, child) = (parent.get().unwrap(), child.get().unwrap());
    let of = |target: &'static str, message: &str| -> Vec<Line> {
        let mut lines = lines.clone();
        lines.retain(|line| line.target == target && line.message == message);
        lines
    };
    let spawned = of("uproar::spawn", "actor spawned");
    assert_eq!(spawned.len(), 5);
    assert_eq!(
        (spawned[0].get("pid"), spawned[0].get("parent")),
        (&*parent.to_string(), "-")
    );
    assert_eq!(
        spawned[1].with(&["pid", "parent"]),
        format!("actor spawned pid={child} parent={parent}")
    );
    assert!(spawned[1].get("actor").contains("lives_and_ends"));

    let ended = of("uproar::exit", "actor ended");
    assert_eq!(texts(&ended, &["reason"]), ["actor ended reason=normal"; 2]);
    assert!(
        ended
            .iter()
            .any(|line| line.get("pid") == child.to_string())
    );
    let failed = of("uproar::exit", "actor failed");
    assert_eq!(
        texts(&failed, &["reason"]),
        ["actor failed reason=error: no disk"]
    );
    let panicked = of("uproar::exit", "actor panicked");
    assert_eq!(
        texts(&panicked, &["reason"]),
        ["actor panicked reason=as an example"]
    );
    assert!(panicked[0].get("location").starts_with(file!()));
    assert_eq!(panicked[0].level, "warn");
    assert_eq!(lines.len(), 9);
}

// An actor that is refused was never there.
#[test]
fn a_refused_actor_leaves_no_event() {
    let runtime = Runtime::builder().manual();
    runtime.shutdown(Duration::ZERO);
    let lines = Recorder::new("uproar::", LevelFilter::TRACE).record(|| {
        runtime.spawn(async {});
    });
    assert_eq!(lines, []);
}

// A link is made once and cut once, however often it is asked for.
#[test]
fn ties() {
    let pids = Cell::new(None);
    let body = async || {
        let peer = spawn(std::future::pending::<()>());
        pids.set(Some((self_pid(), peer.pid())));
        link(&peer);
        link(&peer);
        unlink(&peer);
        unlink(&peer);
        let first = monitor(&peer);
        monitor(&peer);
        assert!(demonitor(first));
        assert!(!demonitor(first));
        trap_exit(true);
        spawn_link(async {});
        let _: Exit = receive().await;
        spawn_monitor(async {});
        let _: Down = receive().await;
        // Dead, and oneself: no tie.
        monitor(self_pid());
        kill(&peer);
        link(&peer);
        monitor(&peer);
    };
    let lines = events_of("uproar::", body);
    let (me, peer) = pids.get().unwrap();
    let mut links = lines.clone();
    links.retain(|line| line.target == "uproar::link");
    let texts_of = |lines: &[Line], field| texts(lines, &["pid", field]);
    assert_eq!(
        texts_of(&links[..2], "peer"),
        [
            format!("linked pid={me} peer={peer}"),
            format!("unlinked pid={me} peer={peer}")
        ]
    );
    assert_eq!(texts(&links[2..], &["pid"]), [format!("linked pid={me}")]);
    let mut monitors = lines;
    monitors.retain(|line| line.target == "uproar::monitor");
    assert_eq!(
        texts_of(&monitors[..3], "of"),
        [
            format!("monitored pid={me} of={peer}"),
            format!("monitored pid={me} of={peer}"),
            format!("demonitored pid={me} of={peer}")
        ]
    );
    assert_eq!(
        texts(&monitors[3..], &["pid"]),
        [format!("monitored pid={me}")]
    );
}

// A name is given once and goes once, whoever takes it away.
#[test]
fn names() {
    let pids = Cell::new(None);
    let lines = events_of("uproar::name", async || {
        let how = Spawn::new().name("first");
        let first = how.clone().spawn(std::future::pending::<()>()).unwrap();
        let second = spawn(async {});
        pids.set(Some((first.pid(), second.pid())));
        how.spawn(async {}).unwrap_err();
        register("first", &second).unwrap_err();
        register("second", &second).unwrap();
        register("third", &second).unwrap_err();
        assert_eq!(unregister("nobody's"), None);
        while second.is_alive() {
            yield_now().await;
        }
        // Taken over from one who is dying.
        kill(&first);
        register("first", self_pid()).unwrap();
        yield_now().await;
        unregister("first");
    });
    let (first, second) = pids.get().unwrap();
    let me = lines.last().unwrap().get("pid");
    let [given, gone] = ["registered", "unregistered"];
    assert_eq!(
        texts(&lines, &["name", "pid"]),
        [
            format!("{given} name=first pid={first}"),
            format!("{given} name=second pid={second}"),
            format!("{gone} name=second pid={second}"),
            format!("{given} name=first pid={me}"),
            format!("{gone} name=first pid={me}"),
        ]
    );
}

// [R3] What nobody receives is traced by its type, from every way there.
#[test]
fn dead_letters() {
    let me = Cell::new(None);
    let lines = events("uproar::dead_letter", |runtime| {
        let dead = runtime.spawn(async {});
        runtime.run_until_idle();
        dead.send(1u8);
        runtime.send(&dead, 2u16);
        let inbox = runtime.inbox::<()>();
        runtime.send(&inbox.address(), 3u32);
        assert_eq!(inbox.try_recv(), None);
        runtime.block_on(async {
            me.set(Some(self_pid()));
            dead.send(4u64);
            send(&dead, 'x');
            let account = spawn(Account(10));
            send(&account, "text");
            assert_eq!(account.call(Get).await, Ok(10));
        });
    });
    let me = me.get().unwrap();
    let mut texts = texts(&lines, &["message_type", "from"]);
    // The account has found it.
    assert!(
        texts
            .pop()
            .unwrap()
            .starts_with("dead letter message_type=&str from=<0.")
    );
    assert_eq!(
        texts,
        [
            "dead letter message_type=u8 from=-".to_owned(),
            "dead letter message_type=u16 from=-".to_owned(),
            "dead letter message_type=u32 from=-".to_owned(),
            format!("dead letter message_type=u64 from={me}"),
            format!("dead letter message_type=char from={me}"),
        ]
    );
}

// [R60] One event for each message that is dropped, whichever it is.
#[test]
fn mailbox_drops() {
    let full = [
        Mailbox::bounded(1),
        Mailbox::bounded(1).drop_newest(),
        Mailbox::bounded(1).drop_oldest(),
    ];
    for mailbox in full {
        let pid = Cell::new(None);
        let lines = events("uproar::mailbox", |runtime| {
            let how = Spawn::new().mailbox(mailbox);
            let idle = runtime
                .spawn_with(&how, std::future::pending::<()>())
                .unwrap();
            pid.set(Some(idle.pid()));
            idle.send(1);
            idle.send(2);
            idle.send(3);
            runtime.send_after(Duration::ZERO, &idle, 4);
            runtime.advance(Duration::from_secs(1));
            assert_eq!(runtime.stats().mailbox_drops, 3);
        });
        let pid = pid.get().unwrap();
        let text = format!("a full mailbox dropped a message pid={pid}");
        assert_eq!(texts(&lines, &["pid"]), [&*text; 3], "{mailbox:?}");
        assert!(lines[0].get("actor").contains("Pending"));
    }
}

#[test]
fn timers() {
    struct Sore;
    impl Clone for Sore {
        fn clone(&self) -> Sore {
            panic!("as an example")
        }
    }

    const SECOND: Duration = Duration::from_secs(1);
    let me = Cell::new(None);
    let body = async || {
        me.set(Some(self_pid()));
        let own = self_address::<Anything>();
        // Fired, and cancelled; cancelled too late.
        let fired = send_after(SECOND, &own, 1u8);
        let cancelled = send_after(SECOND, &own, 2u8);
        assert!(cancelled.cancel().is_some() && cancelled.cancel().is_none());
        let Typed(1u8) = receive().await else {
            panic!()
        };
        assert!(fired.cancel().is_none());
        // A deadline that comes, and one that does not.
        sleep(SECOND).await;
        own.send(3u8);
        let three = receive::<Typed<u8>>().timeout(SECOND).await;
        assert_eq!(three, Ok(Typed(3)), "it has not waited: no deadline");
        send_after(SECOND, &own, 4u8);
        let four = receive::<Typed<u8>>().timeout(2 * SECOND).await;
        assert_eq!(four, Ok(Typed(4)));
        // Two ticks.
        let ticks = send_interval(SECOND, &own, 5u8);
        for _ in 0..2 {
            let _: Typed<u8> = receive().await;
        }
        assert!(ticks.cancel().is_some());
        // With its target.
        let idle = spawn(std::future::pending::<()>());
        send_after(SECOND, &idle, 6u8);
        kill(&idle);
        yield_now().await;
        send_interval(SECOND, &own, Sore);
        sleep(2 * SECOND).await;
    };
    let lines = events_of("uproar::timer", body);
    let me = me.get().unwrap();
    assert!(
        lines.iter().all(|line| line.get("pid") == me.to_string()),
        "{lines:?}"
    );
    assert_eq!(
        texts(&lines, &[]),
        [
            "message timer cancelled",
            "message timer fired",
            "deadline fired",
            "message timer fired",
            "deadline cancelled",
            "message timer fired",
            "message timer fired",
            "message timer cancelled",
            "the message of an interval panicked in its `clone`; the interval ends",
            "deadline fired",
        ]
    );
}

#[test]
fn runtimes() {
    let recorder = Recorder::new("uproar::runtime", LevelFilter::TRACE);
    let lines = recorder.record(|| {
        let runtime = Runtime::builder().workers(3).manual();
        runtime.spawn(async {
            trap_exit(true);
            std::future::pending::<()>().await
        });
        runtime.run_until_idle();
        runtime.shutdown(Duration::from_secs(1));
        runtime.shutdown(Duration::from_secs(1));
    });
    table::check(&lines);
    assert_eq!(
        texts(&lines, &["workers", "grace", "killed"]),
        [
            "runtime started workers=3 grace=- killed=-",
            "runtime shuts down workers=- grace=1s killed=-",
            "the grace is over, and the rest is killed workers=- grace=- killed=1",
            "runtime ended workers=- grace=- killed=-",
        ]
    );
    let runtime = lines[0].get("runtime");
    assert!(lines.iter().all(|line| line.get("runtime") == runtime));
}

/// What each row of the table takes, once more on one thread, which notes what it has seen.
#[test]
fn every_row_of_the_table() {
    an_unheard_error_is_traced();
    lives_and_ends();
    ties();
    names();
    dead_letters();
    mailbox_drops();
    long_mailbox::a_long_mailbox();
    timers();
    runtimes();
    threads::work_is_stolen();
    threads::an_overlong_slice_names_its_actor();
    threads::who_is_given_up_ends_once();
    threads::who_never_comes_back_is_left_behind();
    placement::who_blocks_its_worker_is_named();
    placement::lanes_that_are_all_busy_are_told();
    placement::a_thread_that_is_refused_is_told();
    placement::a_cpu_that_is_refused_is_told();
    placement::a_future_that_may_not_be_dropped_here_is_told();
    #[cfg(target_os = "linux")]
    {
        io::io_that_does_not_come_is_told();
        io::a_poller_that_fails_is_told();
        assert_eq!(table::not_seen(), Vec::<String>::new());
    }
}
