//! Random programs of links, monitors and exits, against a sequential model of the rules;
//! and, with all steps at once, what holds in every order.

mod model;
#[path = "../support/mod.rs"]
mod support;
mod world;

use std::collections::{BTreeMap, BTreeSet};

use model::{Actor, Model};
use proptest::prelude::*;
use uproar::prelude::*;
use uproar::{Handle, Runtime};
use world::{Commands, Shared, run};

/// Who, by the number of its spawn.
type Id = usize;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Reason {
    Normal,
    Shutdown,
    Killed,
    NoProcess,
    Error(u8),
}

impl Reason {
    fn of(reason: &ExitReason) -> Reason {
        match reason {
            ExitReason::Normal => Reason::Normal,
            ExitReason::Shutdown => Reason::Shutdown,
            ExitReason::Killed => Reason::Killed,
            ExitReason::NoProcess => Reason::NoProcess,
            ExitReason::Error(error) => Reason::Error(error.to_string().parse().unwrap()),
            other => panic!("{other:?}"),
        }
    }

    fn real(self) -> ExitReason {
        match self {
            Reason::Normal => ExitReason::Normal,
            Reason::Shutdown => ExitReason::Shutdown,
            Reason::Killed => ExitReason::Killed,
            Reason::NoProcess => ExitReason::NoProcess,
            Reason::Error(n) => ExitReason::error(n.to_string()),
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Spawn {
        link: bool,
        monitor: bool,
    },
    Link(Id),
    Unlink(Id),
    Monitor(Id),
    /// Its own monitor with this number, round and round.
    Demonitor(usize),
    /// Another's.
    DemonitorOf(Id, usize),
    Trap(bool),
    Send(Id, u8),
    SendExit(Id, Reason),
    Kill(Id),
    Exit(Reason),
    Return(Reason),
    /// Receives nothing but commands from now on, or all again.
    Hold(bool),
    /// When the step is over, until time passes.
    Sleep,
}

/// What an actor learns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Event {
    Message(u8),
    Exit(Id, Reason),
    /// By the number of its own monitor.
    Down(usize, Id, Reason),
    Demonitored(usize, bool),
    WasTrapping(bool),
}

/// One step: an actor does these in one slice.
#[derive(Clone, Debug)]
struct Step {
    actor: Id,
    ops: Vec<Op>,
    time_passes: bool,
}

const ROOTS: usize = 3;

fn id() -> impl Strategy<Value = Id> {
    0..10usize
}

fn reason() -> impl Strategy<Value = Reason> {
    prop_oneof![
        Just(Reason::Normal),
        Just(Reason::Shutdown),
        Just(Reason::Killed),
        (0..3u8).prop_map(Reason::Error),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        3 => any::<(bool, bool)>().prop_map(|(link, monitor)| Op::Spawn { link, monitor }),
        5 => id().prop_map(Op::Link),
        3 => id().prop_map(Op::Unlink),
        5 => id().prop_map(Op::Monitor),
        3 => (0..4usize).prop_map(Op::Demonitor),
        1 => (id(), 0..2usize).prop_map(|(id, n)| Op::DemonitorOf(id, n)),
        3 => any::<bool>().prop_map(Op::Trap),
        1 => (id(), any::<u8>()).prop_map(|(to, n)| Op::Send(to, n)),
        2 => (id(), reason()).prop_map(|(to, reason)| Op::SendExit(to, reason)),
        1 => id().prop_map(Op::Kill),
        1 => reason().prop_map(Op::Exit),
        1 => reason().prop_map(Op::Return),
        2 => any::<bool>().prop_map(Op::Hold),
        1 => Just(Op::Sleep),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let ops = prop::collection::vec(op(), 1..5);
    (id(), ops, any::<u8>()).prop_map(|(actor, ops, time)| Step {
        actor,
        ops,
        time_passes: time < 40,
    })
}

fn sorted(events: &[Event]) -> Vec<Event> {
    let mut events = events.to_vec();
    events.sort_unstable();
    events
}

fn spawn_roots(world: &Shared, handle: &Handle) {
    for _ in 0..ROOTS {
        world.enter(|| Some(handle.spawn(run(world.clone()))));
    }
}

/// Runs each step to its end, and compares all that anyone has learned.
fn against_the_model(seed: u64, steps: &[Step]) {
    let runtime = Runtime::builder().seed(seed).workers(3).manual();
    let world = Shared::default();
    let mut model = Model::default();
    spawn_roots(&world, &runtime);
    model.actors.extend((0..ROOTS).map(|_| Actor::default()));
    runtime.run_until_idle();
    for (n, step) in steps.iter().enumerate() {
        let own = step.actor % model.actors.len();
        if !model.actors[own].dead && !model.actors[own].sleeps {
            let ops = model.plan(own, &step.ops);
            let actor = world.with(|world| world.actors[own].clone());
            actor.send(Commands(ops));
            runtime.run_until_idle();
        }
        if step.time_passes {
            for actor in &mut model.actors {
                actor.sleeps = false;
            }
            model.settle();
            runtime.advance(Duration::from_secs(1));
        }
        world.with(|world| {
            for (id, actor) in model.actors.iter_mut().enumerate() {
                let context = || format!("seed {seed}, step {n}, actor {id}: {step:?}");
                assert_eq!(world.actors[id].is_alive(), !actor.dead, "{}", context());
                let mut log = world.logs.remove(&id).unwrap_or_default();
                if actor.dead {
                    // What it has learned of others before its end is open; what it did is not.
                    let own =
                        |e: &Event| matches!(e, Event::Demonitored(..) | Event::WasTrapping(_));
                    log.retain(own);
                    actor.log.retain(own);
                }
                // Of what one step brings from several that end, the order is open.
                assert_eq!(sorted(&log), sorted(&actor.log), "{}", context());
                actor.log.clear();
            }
        });
    }
}

/// Sends all steps at once.
fn send_all(world: &Shared, steps: &[Step]) {
    for step in steps {
        let actor = world.with(|w| w.actors[step.actor % w.actors.len()].clone());
        let ops = step.ops.iter().copied();
        let ops = ops.filter(|op| !matches!(op, Op::Hold(_) | Op::Sleep));
        actor.send(Commands(ops.collect()));
    }
}

/// What holds in every order. Whether all is told that is to be told.
fn check_invariants(world: &Shared) -> bool {
    world.with(|world| {
        let mut complete = true;
        let mut reasons: BTreeMap<Id, BTreeSet<Reason>> = BTreeMap::new();
        for (id, log) in &world.logs {
            let mut fired = BTreeMap::new();
            let mut taken_down = BTreeSet::new();
            for event in log {
                match *event {
                    Event::Down(number, of, reason) => {
                        assert!(!taken_down.contains(&number), "[R20] {id}: {log:?}");
                        assert!(fired.insert(number, of).is_none(), "[R19] {id}: {log:?}");
                        if reason != Reason::NoProcess {
                            reasons.entry(of).or_default().insert(reason);
                        }
                    }
                    Event::Demonitored(number, was_up) => {
                        assert!(
                            !was_up || !fired.contains_key(&number),
                            "[R20] {id}: {log:?}"
                        );
                        taken_down.insert(number);
                    }
                    _ => {}
                }
            }
            if world.actors[*id].is_alive() {
                // Up, and of one that has ended.
                complete &= world
                    .targets
                    .range((*id, 0)..(*id + 1, 0))
                    .all(|(at, target)| {
                        fired.contains_key(&at.1)
                            || taken_down.contains(&at.1)
                            || target == id
                            || world.actors[*target].is_alive()
                    });
            }
        }
        for (id, reasons) in reasons {
            assert_eq!(reasons.len(), 1, "[R18] {id} ended with {reasons:?}");
        }
        complete
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(debug_assertions) { 1_000 } else { 20_000 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    // [R18]-[R28]
    #[test]
    fn every_step_does_what_the_model_says(
        seed in any::<u64>(),
        steps in prop::collection::vec(step(), 1..40),
    ) {
        let _watchdog = support::watchdog(120);
        against_the_model(seed, &steps);
    }

    // [R19] [R20] [R18] in every order that the seed gives.
    #[test]
    fn steps_at_once_keep_the_invariants(
        seed in any::<u64>(),
        steps in prop::collection::vec(step(), 1..60),
    ) {
        let _watchdog = support::watchdog(120);
        let runtime = Runtime::builder().seed(seed).workers(3).manual();
        let world = Shared::default();
        spawn_roots(&world, &runtime);
        for some in steps.chunks(8) {
            send_all(&world, some);
            for _ in 0..seed % 7 {
                runtime.tick();
            }
        }
        runtime.run_until_idle();
        assert!(check_invariants(&world), "a `Down` is missing");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(debug_assertions) { 150 } else { 3_000 },
        failure_persistence: None,
        max_shrink_iters: 0,
        ..ProptestConfig::default()
    })]

    // [R19] [R20] [R18] and on threads.
    #[test]
    fn threads_keep_the_invariants(steps in prop::collection::vec(step(), 20..120)) {
        let _watchdog = support::watchdog(120);
        let runtime = Runtime::builder().workers(3).start().unwrap();
        let world = Shared::default();
        spawn_roots(&world, &runtime);
        for some in steps.chunks(8) {
            send_all(&world, some);
            std::thread::yield_now();
        }
        // Each `Down` that is due comes.
        while !check_invariants(&world) {
            std::thread::yield_now();
        }
        runtime.shutdown(Duration::ZERO);
        check_invariants(&world);
    }
}
