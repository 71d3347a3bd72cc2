//! Names and runtimes: from outside of actors, in several runtimes, in a shutdown and after it, and
//! of actors that do not come back from their own code.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use support::{DropCounter, OnDrop, Stop, panic_of, until_stop};
use uproar::prelude::*;
use uproar::{Handle, Runtime};

const HOUR: Duration = Duration::from_secs(3600);

type Flag = Arc<AtomicBool>;

fn set(flag: &AtomicBool) {
    flag.store(true, Ordering::SeqCst);
}

fn wait_for(flag: &AtomicBool) {
    while !flag.load(Ordering::SeqCst) {
        thread::yield_now();
    }
}

#[test]
fn outside_of_actors_each_call_names_the_right_one() {
    let calls: [(&str, fn()); 6] = [
        ("register", || {
            let runtime = Runtime::builder().manual();
            let actor = runtime.spawn(until_stop());
            let _ = register("x", &actor);
        }),
        ("unregister", || assert_eq!(unregister("x"), None)),
        ("where_is", || assert_eq!(where_is("x"), None)),
        ("where_is_as", || drop(where_is_as::<Anything>("x"))),
        ("send_named", || send_named("x", 1).unwrap()),
        ("registered", || drop(registered())),
    ];
    for (call, outside) in calls {
        let text = panic_of(outside);
        assert_eq!(
            text,
            format!("uproar: `{call}` was called outside an actor; use `Handle::{call}` there")
        );
    }
    let how = Spawn::new().name("x");
    assert!(panic_of(|| how.spawn(async {})).contains("`Handle::spawn_with`"));
}

#[test]
fn handles_do_what_actors_do() {
    let runtime = Runtime::builder().manual();
    let [a, b] = [(); 2].map(|()| runtime.spawn(until_stop()));
    assert_eq!(runtime.register("x", &a), Ok(()));
    let taken = runtime.register("x", &b).unwrap_err();
    assert!(matches!(&taken, RegisterError::Taken { by, .. } if *by == a.pid()));
    assert_eq!(
        taken.to_string(),
        format!("the name \"x\" is taken by {a}", a = a.pid())
    );
    let named = runtime.register("y", a.pid()).unwrap_err();
    assert_eq!(named.to_string(), "the actor already has the name \"x\"");
    assert_eq!(runtime.where_is("x"), Some(a.pid()));
    assert_eq!(runtime.where_is_as::<Anything>("x"), Some(a.clone()));
    assert!(runtime.send_named("x", Stop).is_ok());
    assert_eq!(runtime.registered(), [("x".into(), a.pid())]);
    let local = Spawn::new().name("local");
    let local = runtime.spawn_local_with(&local, until_stop).unwrap();
    assert_eq!(runtime.stats().names, 2);
    runtime.run_until_idle();
    assert!(!a.is_alive());
    assert_eq!(runtime.stats().names, 1);
    runtime.reset_stats();
    assert_eq!(runtime.stats().names, 1, "a level");
    assert_eq!(runtime.unregister("local"), Some(local.pid()));
    assert_eq!(runtime.unregister("local"), None);
    let gone = runtime.register("x", &a).unwrap_err();
    assert_eq!(gone.to_string(), "there is no such actor to be named");
    assert_eq!(runtime.send_named("x", 1), Err(SendError::Gone(1)));
    assert_eq!(runtime.stats().dead_letters, 0);
}

// A `Spawn` may be used again: its name is that of the first.
#[test]
fn a_spawn_is_no_name() {
    let runtime = Runtime::builder().manual();
    let how = Spawn::new().name("x");
    let first = runtime.spawn_with(&how, until_stop()).unwrap();
    let before = runtime.stats();
    let second = runtime.spawn_with(&how, until_stop()).unwrap_err();
    assert_eq!(
        second.to_string(),
        format!("the name \"x\" is taken by {}", first.pid())
    );
    let after = runtime.stats();
    assert_eq!(
        (after.spawned, after.exited, after.live),
        (before.spawned, before.exited, before.live)
    );
    runtime.kill(&first);
    assert!(runtime.spawn_with(&how.clone(), until_stop()).is_ok());
}

// An inbox can have a name: it stands in for an actor.
#[test]
fn an_inbox_has_a_name_until_it_is_dropped() {
    let runtime = Runtime::builder().manual();
    let [first, second] = [(); 2].map(|()| runtime.inbox::<u32>());
    assert_eq!(runtime.register("log", &first.address()), Ok(()));
    assert!(runtime.register("log", &second.address()).is_err());
    assert_eq!(runtime.where_is("log"), Some(first.address().pid()));
    assert_eq!(runtime.where_is_as::<Anything>("log"), None);
    runtime.block_on(async {
        send_named("log", 1u32).unwrap();
        // Of a type that it never takes.
        send_named("log", "lost").unwrap();
    });
    assert_eq!((first.try_recv(), first.try_recv()), (Some(1), None));
    assert_eq!(runtime.stats().dead_letters, 1);
    drop(first);
    assert_eq!((runtime.where_is("log"), runtime.stats().names), (None, 0));
    assert_eq!(runtime.register("log", &second.address()), Ok(()));
    // It outlives its runtime, its name does not.
    runtime.shutdown(HOUR);
    assert_eq!(runtime.where_is("log"), None);
    assert_eq!((runtime.registered(), runtime.stats().names), (vec![], 0));
    assert_eq!(runtime.send_named("log", 1), Err(SendError::Gone(1)));
    assert_eq!(runtime.unregister("log"), None);
}

#[test]
fn two_runtimes_have_names_of_their_own() {
    let _watchdog = support::watchdog(120);
    let [one, two] = [(); 2].map(|()| Runtime::builder().workers(1).start().unwrap());
    let how = Spawn::new().name("x");
    let [a, b] = [&one, &two].map(|runtime| runtime.spawn_with(&how, until_stop()).unwrap());
    assert_eq!(
        (one.where_is("x"), two.where_is("x")),
        (Some(a.pid()), Some(b.pid()))
    );
    assert_eq!(one.register("y", &b), Err(RegisterError::NoProcess));
    // An actor of one that uses the other's handle.
    let (inbox, handle) = (one.inbox(), two.handle());
    let to = inbox.address();
    one.spawn(async move {
        to.send((where_is("x"), handle.where_is("x"), handle.unregister("x")));
    });
    let seen = inbox.recv_timeout(HOUR);
    assert_eq!(seen, Ok((Some(a.pid()), Some(b.pid()), Some(b.pid()))));
    drop(two);
    assert_eq!(one.where_is("x"), Some(a.pid()));
}

// [R57] During the grace actors use names, outsiders are refused; there are none at the end, and
// after it nothing does anything.
#[test]
fn a_shutdown_with_names() {
    for seed in 0..200 {
        let runtime = Runtime::builder().workers(2).seed(seed).manual();
        let inbox = runtime.inbox::<&str>();
        let (to, handle) = (inbox.address(), runtime.handle());
        let patient = Spawn::new().name("patient");
        let patient = runtime.spawn_with(&patient, async move {
            trap_exit(true);
            let Exit { .. } = receive().await;
            let me = self_pid();
            assert_eq!(where_is("patient"), Some(me));
            assert_eq!(unregister("patient"), Some(me));
            assert_eq!(register("late", me), Ok(()));
            // One of its own actors is no outsider, whichever way it goes.
            assert_eq!(handle.unregister("late"), Some(me));
            assert_eq!(handle.register("latest", me), Ok(()));
            assert_eq!(send_named("latest", 1), Ok(()));
            let refused = Spawn::new().name("child").spawn(async {});
            assert_eq!(refused.unwrap_err(), SpawnError::ShuttingDown);
            assert_eq!(where_is("child"), None);
            to.send("done");
            std::future::pending::<()>().await
        });
        let patient = patient.unwrap();
        for n in 0..20 {
            let how = Spawn::new().name(format!("{n}"));
            runtime.spawn_with(&how, until_stop()).unwrap();
        }
        runtime.run_until_idle();
        assert_eq!(runtime.stats().names, 21);
        // From outside, which this test is, and with a grace that virtual time has to pass.
        let handle = runtime.handle();
        assert!(!handle.shutdown(HOUR).ended);
        assert_eq!(
            handle.register("outsider", &patient),
            Err(RegisterError::ShuttingDown)
        );
        assert_eq!(handle.unregister("patient"), None);
        assert_eq!(handle.send_named("patient", 1), Err(SendError::Gone(1)));
        assert_eq!(handle.where_is("patient"), Some(patient.pid()));
        while inbox.try_recv() != Some("done") {
            assert_eq!(runtime.tick(), uproar::Tick::Ran);
        }
        assert_eq!(handle.where_is("latest"), Some(patient.pid()));
        let report = runtime.shutdown(Duration::ZERO);
        assert_eq!((report.ended, report.killed), (true, 1));
        is_inert(&handle, &patient);
    }
}

fn is_inert(handle: &Handle, dead: &Address<Anything>) {
    assert_eq!(handle.register("x", dead), Err(RegisterError::ShuttingDown));
    assert_eq!((handle.where_is("x"), handle.unregister("x")), (None, None));
    assert_eq!(handle.where_is_as::<Anything>("latest"), None);
    assert_eq!(handle.send_named("x", 1), Err(SendError::Gone(1)));
    assert_eq!((handle.registered(), handle.stats().names), (vec![], 0));
    let drops = DropCounter::new();
    let token = drops.token();
    let late = handle.spawn_with(&Spawn::new().name("x"), async move { drop(token) });
    assert_eq!(late.unwrap_err(), SpawnError::ShuttingDown);
    assert_eq!(drops.count(), 1);
}

// [R57] case 23: destructors that use names, in a shutdown on threads.
#[test]
fn a_shutdown_with_destructors_that_use_names() {
    const ACTORS: usize = 300;
    let _watchdog = support::watchdog(120);
    for workers in [1, 3] {
        let runtime = Runtime::builder().workers(workers).start().unwrap();
        let drops = DropCounter::new();
        let panics = Arc::new(AtomicBool::new(false));
        for n in 0..ACTORS {
            let (token, panics, handle) = (drops.token(), Arc::clone(&panics), runtime.handle());
            let how = Spawn::new().name(n.to_string());
            runtime
                .spawn_with(&how, async move {
                    let _guard = OnDrop(move || {
                        let _token = &token;
                        let next = ((n + 1) % ACTORS).to_string();
                        let calls = || match n % 6 {
                            0 => drop(unregister(&next).is_some()),
                            1 => drop(register(&*next, self_pid())),
                            2 => drop(send_named(&next, n)),
                            3 => drop(where_is_as::<Anything>(&next)),
                            4 => drop(handle.unregister(&next).map(|pid| register("x", pid))),
                            _ => drop(Spawn::new().name(n.to_string()).spawn(async {})),
                        };
                        let calls = std::panic::AssertUnwindSafe(calls);
                        if std::panic::catch_unwind(calls).is_err() {
                            set(&panics);
                        }
                    });
                    until_stop().await;
                })
                .unwrap();
        }
        let report = runtime.shutdown(HOUR);
        assert!(report.ended && report.stuck.is_empty());
        assert_eq!(drops.count(), ACTORS);
        assert!(!panics.load(Ordering::SeqCst));
        assert_eq!(runtime.registered(), []);
    }
}

/// An actor that stays in its own code until it is let go, and tells what it may do then.
#[derive(Clone, Default)]
struct Stuck {
    inside: Flag,
    let_go: Flag,
}

type Seen = (
    Result<(), RegisterError>,
    Result<(), RegisterError>,
    Option<Pid>,
    Result<(), SendError<Stop>>,
);

impl Stuck {
    async fn run(self, other: Pid, tell: std::sync::mpsc::Sender<Seen>) {
        set(&self.inside);
        wait_for(&self.let_go);
        let seen = (
            register("y", self_pid()),
            register("y", other),
            unregister("x"),
            send_named("x", Stop),
        );
        let _ = tell.send(seen);
        yield_now().await;
        unreachable!("it has been given up");
    }
}

// [R31] The name of one that is stuck is free from the kill on, when its `Down` has come, and it
// can do nothing about that; nor does its end, later.
#[test]
fn the_name_of_one_who_is_stuck_is_free() {
    let _watchdog = support::watchdog(120);
    for blocking in [false, true] {
        let runtime = Runtime::builder().workers(2).start().unwrap();
        let stuck = Stuck::default();
        let (tell, told) = std::sync::mpsc::channel();
        let other = runtime.spawn(until_stop());
        let how = match blocking {
            true => Spawn::new().blocked(),
            false => Spawn::new(),
        };
        let run = stuck.clone().run(other.pid(), tell);
        let actor = runtime.spawn_with(&how.name("x"), run).unwrap();
        let (inbox, of) = (runtime.inbox(), actor.pid());
        let to = inbox.address();
        runtime.spawn(async move {
            let watch = monitor(of);
            to.send(None);
            let reason = support::down_of(watch).await;
            let again = Spawn::new().name("x").spawn(until_stop());
            to.send(Some((
                reason,
                where_is("x"),
                again.map(|actor| actor.pid()),
            )));
        });
        assert_eq!(inbox.recv_timeout(HOUR), Ok(None));
        wait_for(&stuck.inside);
        assert_eq!(runtime.where_is("x"), Some(of));
        runtime.kill(of);
        // Another may have it by now.
        assert_ne!(runtime.where_is("x"), Some(of));
        let (reason, found, again) = inbox.recv_timeout(HOUR).unwrap().unwrap();
        assert_eq!(reason, ExitReason::Killed);
        let again = again.expect("free");
        assert_eq!(found, Some(again));
        assert_eq!(
            (runtime.where_is("x"), runtime.stats().names),
            (Some(again), 1)
        );
        set(&stuck.let_go);
        let seen = told.recv().unwrap();
        let dead = || Err(RegisterError::NoProcess);
        assert_eq!((seen.0, seen.1, seen.2), (dead(), dead(), None));
        assert!(seen.3.is_err());
        assert!(runtime.shutdown(HOUR).ended);
        // The new one has heard of nothing, and has ended with the rest.
        assert_eq!(runtime.stats().names, 0);
    }
}

// [R43] A dying actor is dead for others while its destructors run: a monitor says so at once, and
// the name is free by then.
#[test]
fn the_name_is_free_while_destructors_run() {
    let _watchdog = support::watchdog(120);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let (slow, begun) = (Stuck::default(), Flag::default());
    let (waits, begins) = (slow.clone(), Arc::clone(&begun));
    let how = Spawn::new().name("x").blocked();
    let actor = runtime.spawn_with(&how, async move {
        let _guard = OnDrop(move || {
            set(&waits.inside);
            wait_for(&waits.let_go);
        });
        set(&begins);
        std::future::pending::<()>().await
    });
    wait_for(&begun);
    let (inbox, of) = (runtime.inbox(), actor.unwrap().pid());
    runtime.send_exit(of, ExitReason::Shutdown);
    wait_for(&slow.inside);
    let to = inbox.address();
    runtime.spawn(async move {
        let reason = support::gone(of).await;
        to.send((reason, where_is("x"), register("x", self_pid())));
        until_stop().await;
    });
    let seen = inbox.recv_timeout(HOUR);
    assert_eq!(seen, Ok((ExitReason::NoProcess, None, Ok(()))));
    let by = runtime.where_is("x");
    set(&slow.let_go);
    while runtime.processes().contains(&of) {
        thread::yield_now();
    }
    assert!(by.is_some() && runtime.where_is("x") == by);
}

// The report of a deadlock says names.
#[test]
fn a_deadlock_names_those_who_have_names() {
    let runtime = Runtime::builder().manual();
    let how = Spawn::new().name("printer");
    runtime.spawn_with(&how, until_stop()).unwrap();
    let text = panic_of(|| runtime.block_on(until_stop()));
    let line = text.lines().find(|line| line.contains("printer"));
    let line = line.unwrap_or_else(|| panic!("{text}"));
    assert!(
        line.ends_with("\"printer\" is waiting for a message"),
        "{line}"
    );
}
