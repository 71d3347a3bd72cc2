//! Random programs of links, monitors and exits, against a sequential model of the rules;
//! and, with all steps at once, what holds in every order.

mod model;
mod ops;
mod programs;
#[path = "../support/mod.rs"]
mod support;
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::thread;

use model::{Actor, Model};
use ops::{Event, Id, Op, Reason, Step, steps};
use programs::{Schedule, sized};
use proptest::prelude::prop;
use uproar::prelude::*;
use uproar::{Handle, Runtime};
use world::{Commands, Shared, run};

const ROOTS: usize = 3;

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

// [R18]-[R28]
#[test]
fn every_step_does_what_the_model_says() {
    let steps = steps(1..100);
    let cases = sized(10_000, 50_000);
    programs::run(cases, Schedule::OfSeed, &steps, |seed, steps| {
        against_the_model(seed, steps);
    });
}

// [R19] [R20] [R18] in every order that the seed gives.
#[test]
fn steps_at_once_keep_the_invariants() {
    let steps = steps(1..150);
    let cases = sized(10_000, 50_000);
    programs::run(cases, Schedule::OfSeed, &steps, |seed, steps| {
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
    });
}

// [R19] [R20] [R18] and on threads, several programs beside each other.
#[test]
fn threads_keep_the_invariants() {
    const AT_ONCE: usize = 8;
    let several = prop::collection::vec(steps(50..300), AT_ONCE);
    let groups = sized(4_000, 20_000) / AT_ONCE;
    programs::run(groups, Schedule::OfThreads, &several, |_, several| {
        let runtime = Runtime::builder().workers(3).start().unwrap();
        let worlds: Vec<_> = several.iter().map(|_| Shared::default()).collect();
        worlds.iter().for_each(|world| spawn_roots(world, &runtime));
        for part in 0.. {
            let mut sent = false;
            for (world, steps) in worlds.iter().zip(several) {
                if let Some(some) = steps.chunks(8).nth(part) {
                    send_all(world, some);
                    sent = true;
                }
            }
            if !sent {
                break;
            }
        }
        // Each `Down` that is due comes.
        for world in &worlds {
            while !check_invariants(world) {
                thread::yield_now();
            }
        }
        runtime.shutdown(Duration::ZERO);
        for world in &worlds {
            check_invariants(world);
        }
    });
}
