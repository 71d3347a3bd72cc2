use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{OnceLock, Weak};

use proptest::prelude::*;

use super::*;

/// An actor, as far as its name goes.
struct Actor {
    pid: Pid,
    doomed: AtomicBool,
    ties: Ties,
    /// Where no lock may be held when a reference to it is dropped.
    watched: OnceLock<Weak<Names<Ref>>>,
}

#[derive(Clone)]
struct Ref(Arc<Actor>);

impl Drop for Ref {
    fn drop(&mut self) {
        if let Some(names) = self.0.watched.get().and_then(Weak::upgrade) {
            let is_free = |shard: &CachePadded<RwLock<_>>| shard.try_write().is_ok();
            assert!(names.shards.iter().all(is_free), "[N4]");
        }
    }
}

impl Holder for Ref {
    fn pid(&self) -> Pid {
        self.0.pid
    }

    fn is_alive(&self) -> bool {
        !self.0.doomed.load(Ordering::SeqCst)
    }

    fn ties(&self) -> &Ties {
        &self.0.ties
    }
}

fn actor(number: u32) -> Ref {
    Ref(Arc::new(Actor {
        pid: Pid::new(0, number, NonZeroU64::MIN),
        doomed: AtomicBool::new(false),
        ties: Ties::new(),
        watched: OnceLock::new(),
    }))
}

impl Ref {
    fn doom(&self) {
        self.0.doomed.store(true, Ordering::SeqCst);
    }

    /// Its end, as the runtime does it. Whether its name was still its own.
    fn end(&self, names: &Names<Ref>) -> bool {
        self.doom();
        let named = self.0.ties.end().is_some_and(|cut| cut.named);
        let name = named.then(|| self.0.ties.lose_name()).flatten();
        name.is_some_and(|name| names.release(&name, self.0.pid))
    }

    fn name(&self) -> Option<Arc<str>> {
        self.0.ties.beyond().name
    }
}

fn pid_of(names: &Names<Ref>, name: &str) -> Option<Pid> {
    names.find(name, Holder::pid)
}

fn entries(names: &Names<Ref>) -> usize {
    let all = 0..names.shards.len();
    all.map(|shard| names.read(shard).len()).sum()
}

#[test]
fn a_name_has_one_actor_and_an_actor_one_name() {
    let names = Names::new(1);
    let [a, b] = [1, 2].map(actor);
    let [x, y] = ["x", "y"].map(Arc::from);
    assert_eq!(names.register(&x, &a), Ok(()));
    assert_eq!(names.register(&x, &b), Err(Refusal::Taken(a.0.pid)));
    assert_eq!(names.register(&x, &a), Err(Refusal::Taken(a.0.pid)));
    let has = Unnamable::Named(Arc::clone(&x));
    assert_eq!(names.register(&y, &a), Err(Refusal::Unnamable(has)));
    assert_eq!(names.register(&y, &b), Ok(()));
    assert_eq!(pid_of(&names, "x"), Some(a.0.pid), "the first stays");
    assert_eq!(pid_of(&names, "y"), Some(b.0.pid));
    assert_eq!(pid_of(&names, ""), None);
    assert_eq!(names.all(), [(x, a.0.pid), (y, b.0.pid)]);
}

#[test]
fn who_has_lost_a_name_can_have_another() {
    let names = Names::new(1);
    let a = actor(1);
    names.register(&"x".into(), &a).unwrap();
    assert_eq!(names.unregister("x").map(|a| a.0.pid), Some(a.0.pid));
    assert!(names.unregister("x").is_none());
    assert_eq!(a.name(), None);
    assert_eq!(names.register(&"y".into(), &a), Ok(()));
    assert!(a.end(&names));
    assert_eq!(entries(&names), 0, "[N3]");
}

// [N2] [N3] It is free while its actor dies, and what has been taken then stays.
#[test]
fn the_name_of_one_who_dies_is_free() {
    let names = Names::new(1);
    let [a, b] = [1, 2].map(actor);
    let x = "x".into();
    names.register(&x, &a).unwrap();
    a.doom();
    assert_eq!(pid_of(&names, "x"), None);
    assert!(names.unregister("x").is_none());
    assert_eq!((names.all(), names.count()), (vec![], 0));
    assert_eq!(
        names.register(&x, &a),
        Err(Refusal::Unnamable(Unnamable::Dead))
    );
    assert_eq!(names.register(&x, &b), Ok(()));
    assert!(!a.end(&names));
    assert_eq!(pid_of(&names, "x"), Some(b.0.pid));
    assert!(b.end(&names));
    assert_eq!(entries(&names), 0);
}

#[test]
fn one_who_has_ended_gets_none() {
    let names = Names::new(1);
    let a = actor(1);
    // It has ended and does not know yet.
    assert!(a.0.ties.end().is_some());
    assert_eq!(
        names.register(&"x".into(), &a),
        Err(Refusal::Unnamable(Unnamable::Dead))
    );
    assert_eq!(entries(&names), 0, "[N3]");
}

#[test]
fn nobody_is_entered_under_a_taken_name() {
    let names = Names::new(1);
    let [a, b] = [1, 2].map(actor);
    let x = "x".into();
    names.register(&x, &a).unwrap();
    let refused = names.claim(&x, || unreachable!("[N1]"));
    assert_eq!(refused, Err(Refusal::Taken(a.0.pid)));
    a.doom();
    let enter = || {
        b.0.ties.take_name(&x)?;
        Ok(b.clone())
    };
    assert_eq!(names.claim(&x, enter), Ok(()));
    assert_eq!(pid_of(&names, "x"), Some(b.0.pid));
}

#[test]
fn no_reference_is_dropped_under_a_lock() {
    let names = Arc::new(Names::new(1));
    let [a, b, c] = [1, 2, 3].map(|number| {
        let actor = actor(number);
        actor.0.watched.set(Arc::downgrade(&names)).unwrap();
        actor
    });
    let [x, y] = ["x", "y"].map(Arc::from);
    names.register(&x, &a).unwrap();
    names.register(&x, &b).unwrap_err();
    names.register(&y, &a).unwrap_err();
    drop(names.find("x", Ref::clone));
    a.doom();
    names.register(&x, &a).unwrap_err();
    names.register(&x, &b).unwrap();
    assert!(!a.end(&names));
    drop(names.unregister("x"));
    names.register(&x, &c).unwrap();
    assert!(c.end(&names));
}

#[test]
fn memory_goes_back() {
    let names = Names::new(7);
    let capacity = || -> usize {
        let all = 0..names.shards.len();
        all.map(|shard| names.read(shard).capacity()).sum()
    };
    let actors: Vec<Ref> = (0..100_000).map(actor).collect();
    for (n, actor) in actors.iter().enumerate() {
        names.register(&n.to_string().into(), actor).unwrap();
    }
    assert_eq!(names.count(), 100_000);
    assert!(capacity() >= 100_000);
    // A few that stay are no reason to keep the rest.
    let (stay, go) = actors.split_at(100);
    assert!(go.iter().all(|actor| actor.end(&names)));
    assert_eq!(names.count(), stay.len());
    assert!(capacity() < 2_000, "{}", capacity());
    let references = |actor: &Ref| Arc::strong_count(&actor.0);
    assert!(go.iter().all(|actor| references(actor) == 1));
    assert!(stay.iter().all(|actor| references(actor) == 2));
}

#[test]
fn numbers_spread_over_the_shards() {
    let mut counts = [0; 1 << SHARD_BITS];
    for n in 0..1_600 {
        counts[shard_of(&format!("session-{n:06}"))] += 1;
    }
    let most = counts.iter().max().copied();
    assert!(
        most < Some(200) && counts.iter().all(|&n| n > 20),
        "{counts:?}"
    );
}

#[derive(Clone, Debug)]
enum Step {
    Register(u8, usize),
    Unregister(u8),
    Doom(usize),
    End(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..3u8, 0..4usize).prop_map(|(name, who)| Step::Register(name, who)),
        2 => (0..3u8).prop_map(Step::Unregister),
        1 => (0..4usize).prop_map(Step::Doom),
        1 => (0..4usize).prop_map(Step::End),
    ]
}

proptest! {
    // [N1] [N2] [N3] against the plainest table there is: who is alive, by name.
    #[test]
    fn any_steps_are_those_of_a_map(steps in proptest::collection::vec(step(), 0..60)) {
        let names = Names::new(3);
        let mut actors: Vec<Ref> = (0..4).map(actor).collect();
        let mut born = 4;
        let mut model: BTreeMap<u8, Pid> = BTreeMap::new();
        for step in steps {
            match step {
                Step::Register(name, who) => {
                    let actor = &actors[who];
                    let pid = actor.0.pid;
                    let expected = match model.get(&name) {
                        Some(&by) => Err(Refusal::Taken(by)),
                        None if !actor.is_alive() => Err(Refusal::Unnamable(Unnamable::Dead)),
                        None => match model.iter().find(|&(_, &of)| of == pid) {
                            Some((name, _)) => {
                                let name = name.to_string().into();
                                Err(Refusal::Unnamable(Unnamable::Named(name)))
                            }
                            None => Ok(()),
                        },
                    };
                    if expected.is_ok() {
                        model.insert(name, pid);
                    }
                    prop_assert_eq!(names.register(&name.to_string().into(), actor), expected);
                }
                Step::Unregister(name) => {
                    let lost = names.unregister(&name.to_string()).map(|actor| actor.0.pid);
                    prop_assert_eq!(lost, model.remove(&name));
                }
                Step::Doom(who) => {
                    actors[who].doom();
                    model.retain(|_, &mut pid| pid != actors[who].0.pid);
                }
                Step::End(who) => {
                    model.retain(|_, &mut pid| pid != actors[who].0.pid);
                    actors[who].end(&names);
                    born += 1;
                    actors[who] = actor(born);
                }
            }
            let all: Vec<_> = model.iter().map(|(name, &pid)| (name.to_string().into(), pid)).collect();
            prop_assert_eq!(names.all(), all);
            prop_assert_eq!(names.count(), model.len());
            for actor in &actors {
                let has = model.iter().find(|&(_, &pid)| pid == actor.0.pid);
                let has = has.map(|(name, _)| Arc::from(name.to_string()));
                prop_assert!(actor.name() == has || !actor.is_alive());
            }
        }
        for actor in &actors {
            actor.end(&names);
        }
        prop_assert_eq!(entries(&names), 0);
    }
}
