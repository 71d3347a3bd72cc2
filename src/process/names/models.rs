//! Registrations against ends, in every order of their steps. [N1] [N2] [N3]

use std::num::NonZeroU64;

use loom::sync::Arc as LoomArc;
use loom::thread;

use super::*;
use crate::sync::{AtomicBool, Ordering, explore};

/// An actor, as far as its name goes.
struct Actor {
    pid: Pid,
    doomed: AtomicBool,
    ties: Ties,
}

#[derive(Clone)]
struct Ref(LoomArc<Actor>);

impl Holder for Ref {
    fn pid(&self) -> Pid {
        self.0.pid
    }

    fn is_alive(&self) -> bool {
        !self.0.doomed.load(Ordering::Acquire)
    }

    fn ties(&self) -> &Ties {
        &self.0.ties
    }
}

fn actor(number: u32) -> Ref {
    Ref(LoomArc::new(Actor {
        pid: Pid::new(0, number, NonZeroU64::MIN),
        doomed: AtomicBool::new(false),
        ties: Ties::new(),
    }))
}

type Table = LoomArc<Names<Ref>>;

fn table() -> Table {
    LoomArc::new(Names::new(0))
}

fn x() -> Arc<str> {
    "x".into()
}

impl Ref {
    fn doom(&self) {
        self.0.doomed.store(true, Ordering::Release);
    }

    /// Its end, as the runtime does it.
    fn end(&self, names: &Names<Ref>) {
        self.doom();
        if self.0.ties.end().is_some_and(|cut| cut.named)
            && let Some(name) = self.0.ties.lose_name()
        {
            names.release(&name, self.0.pid);
        }
    }
}

fn entries(names: &Names<Ref>) -> usize {
    let all = 0..names.shards.len();
    all.map(|shard| names.read(shard).len()).sum()
}

fn has(names: &Names<Ref>, actor: &Ref) -> bool {
    names.find("x", |holder| holder.pid() == actor.0.pid) == Some(true)
}

/// By its own end, or by the one that gives it up.
#[test]
fn loom_no_entry_outlives_its_actor() {
    explore(3, || {
        let (names, a) = (table(), actor(1));
        let ender = {
            let (names, a) = (names.clone(), a.clone());
            thread::spawn(move || a.end(&names))
        };
        let registered = names.register(&x(), &a);
        assert!(registered.is_ok() || registered == Err(Refusal::Unnamable(Unnamable::Dead)));
        ender.join().unwrap();
        assert_eq!(entries(&names), 0, "[N3]");
    });
}

#[test]
fn loom_of_two_that_want_a_name_one_gets_it() {
    explore(3, || {
        let names = table();
        let [a, b] = [1, 2].map(actor);
        let other = {
            let (names, b) = (names.clone(), b.clone());
            thread::spawn(move || names.register(&x(), &b))
        };
        let (first, second) = (names.register(&x(), &a), other.join().unwrap());
        match (first, second) {
            (Ok(()), Err(Refusal::Taken(by))) => assert_eq!(by, a.0.pid),
            (Err(Refusal::Taken(by)), Ok(())) => assert_eq!(by, b.0.pid),
            other => panic!("[N1] {other:?}"),
        }
        // Who has lost can have another.
        let loser = if has(&names, &a) { &b } else { &a };
        assert_eq!(names.register(&"y".into(), loser), Ok(()));
    });
}

#[test]
fn loom_an_actor_gets_one_of_two_names() {
    explore(3, || {
        let (names, a) = (table(), actor(1));
        let other = {
            let (names, a) = (names.clone(), a.clone());
            thread::spawn(move || names.register(&"y".into(), &a).is_ok())
        };
        let first = names.register(&x(), &a).is_ok();
        assert!(first ^ other.join().unwrap(), "[N1]");
        assert_eq!(entries(&names), 1);
        a.end(&names);
        assert_eq!(entries(&names), 0, "[N3]");
    });
}

/// One takes the name of another that dies, and keeps it.
#[test]
fn loom_a_name_that_is_taken_over_stays() {
    explore(3, || {
        let names = table();
        let [a, b] = [1, 2].map(actor);
        names.register(&x(), &a).unwrap();
        let ender = {
            let (names, a) = (names.clone(), a.clone());
            thread::spawn(move || a.end(&names))
        };
        let taken = names.register(&x(), &b).is_ok();
        ender.join().unwrap();
        // [N2] In any case it is free now.
        assert_eq!(has(&names, &b), taken);
        assert_eq!(entries(&names), usize::from(taken));
        assert!(taken || names.register(&x(), &b).is_ok());
    });
}

/// Somebody takes it away while its actor dies, and it is wanted elsewhere.
#[test]
fn loom_an_unregister_against_an_end() {
    explore(3, || {
        let names = table();
        let [a, b] = [1, 2].map(actor);
        names.register(&x(), &a).unwrap();
        let ender = {
            let (names, a) = (names.clone(), a.clone());
            thread::spawn(move || a.end(&names))
        };
        let lost = names.unregister("x");
        assert!(lost.is_none_or(|lost| lost.0.pid == a.0.pid));
        names.register(&x(), &b).expect("it has been free since");
        ender.join().unwrap();
        assert!(has(&names, &b));
        assert_eq!(entries(&names), 1);
    });
}

/// An actor that is spawned with a name, against one that has it and dies.
#[test]
fn loom_a_spawn_with_a_name_against_an_end() {
    explore(3, || {
        let names = table();
        let [a, b] = [1, 2].map(actor);
        names.register(&x(), &a).unwrap();
        let ender = {
            let (names, a) = (names.clone(), a.clone());
            thread::spawn(move || a.end(&names))
        };
        let spawned = names.claim(&x(), || {
            b.0.ties.take_name(&x())?;
            Ok(b.clone())
        });
        // It may be killed at once.
        b.end(&names);
        ender.join().unwrap();
        assert!(spawned.is_ok() || spawned == Err(Refusal::Taken(a.0.pid)));
        assert_eq!(entries(&names), 0, "[N3]");
    });
}
