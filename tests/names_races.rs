//! Names that many want at once, and names of actors that die meanwhile.

mod support;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use support::{DropCounter, down_of, until_stop};
use uproar::prelude::*;
use uproar::{Handle, ManualRuntime, Runtime};

const HOUR: Duration = Duration::from_secs(3600);

/// Fewer in debug builds, where a step takes ten times as long.
const fn rounds(n: usize) -> usize {
    if cfg!(debug_assertions) { n / 10 } else { n }
}

/// A panic that is not told on stderr.
fn panics() -> ! {
    std::panic::resume_unwind(Box::new("as an example"))
}

/// Nobody is alive, and nothing is left of names.
fn assert_no_names(handle: &Handle) {
    assert_eq!(handle.stats().names, 0);
    assert_eq!(handle.registered(), []);
}

fn until_nobody_lives(handle: &Handle) {
    while handle.stats().live > 0 {
        thread::yield_now();
    }
}

// [R43] Of those that spawn under one name at once, one does; the others never run, and are
// counted nowhere.
#[test]
fn of_many_spawns_under_one_name_one_runs() {
    const THREADS: usize = 4;
    let each = rounds(20_000);
    let _watchdog = support::watchdog(300);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let (ran, inside) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let drops = DropCounter::new();
    let barrier = Arc::new(Barrier::new(THREADS));
    let threads: Vec<_> = (0..THREADS)
        .map(|_| {
            let (handle, barrier) = (runtime.handle(), Arc::clone(&barrier));
            let (ran, inside, drops) = (Arc::clone(&ran), Arc::clone(&inside), drops.clone());
            thread::spawn(move || {
                let how = Spawn::new().name("single");
                let mut won = 0;
                barrier.wait();
                for _ in 0..each {
                    let token = drops.token();
                    let (ran, inside) = (Arc::clone(&ran), Arc::clone(&inside));
                    let spawned = handle.spawn_with(&how, async move {
                        let _token = token;
                        ran.fetch_add(1, Ordering::SeqCst);
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "one at a time");
                        yield_now().await;
                        assert_eq!(inside.fetch_sub(1, Ordering::SeqCst), 1);
                    });
                    match spawned {
                        Ok(_) => won += 1,
                        Err(SpawnError::NameTaken { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
                won
            })
        })
        .collect();
    let won: usize = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .sum();
    until_nobody_lives(&runtime);
    assert!(won > 0);
    assert_eq!(ran.load(Ordering::SeqCst), won);
    drops.wait_for(THREADS * each);
    let stats = runtime.stats();
    assert_eq!(
        (stats.spawned, stats.exited, stats.panicked),
        (won as u64, won as u64, 0)
    );
    assert_no_names(&runtime);
}

/// How an actor fails to start.
#[derive(Clone, Copy)]
enum Start {
    Panics,
    Fails,
    IsKilled,
}

/// One round of case 13: whether it got the name. Its end is known when this returns.
async fn a_failed_start(start: Start, by_spawn: bool) -> bool {
    let body = async move {
        if !by_spawn && register("service", self_pid()).is_err() {
            return Err("taken");
        }
        match start {
            Start::Panics => panics(),
            Start::Fails => Err("failed to start"),
            Start::IsKilled => std::future::pending().await,
        }
    };
    let how = if by_spawn {
        Spawn::new().name("service")
    } else {
        Spawn::new()
    };
    let (actor, watch) = match how.spawn_monitor(body) {
        Ok(spawned) => spawned,
        Err(SpawnError::NameTaken { by, .. }) => {
            assert_ne!(by, self_pid());
            return false;
        }
        Err(error) => panic!("{error}"),
    };
    if let Start::IsKilled = start {
        kill(&actor);
    }
    let reason = down_of(watch).await;
    assert!(reason.is_failure());
    assert_ne!(where_is("service"), Some(actor.pid()), "[R29]");
    reason.to_string() != "error: taken"
}

// [R43] case 13: from many workers, with one name.
#[test]
fn a_failed_start_leaves_no_name() {
    const ACTORS: usize = 4;
    const EACH: usize = 2_500;
    let _watchdog = support::watchdog(300);
    let runtime = Runtime::builder().workers(4).start().unwrap();
    let inbox = runtime.inbox::<usize>();
    for n in 0..ACTORS {
        let to = inbox.address();
        runtime.spawn(async move {
            let mut got = 0;
            for round in 0..EACH {
                let start = [Start::Panics, Start::Fails, Start::IsKilled][(round + n) % 3];
                got += usize::from(a_failed_start(start, round % 2 == 0).await);
            }
            to.send(got);
        });
    }
    for _ in 0..ACTORS {
        assert!(inbox.recv_timeout(HOUR).unwrap() > 0);
    }
    until_nobody_lives(&runtime);
    assert_no_names(&runtime);
    // One after the other each gets it, at once.
    let to = inbox.address();
    runtime.spawn(async move {
        for round in 0..30 {
            let start = [Start::Panics, Start::Fails][round % 2];
            assert!(a_failed_start(start, round % 3 == 0).await);
        }
        to.send(30);
    });
    assert_eq!(inbox.recv_timeout(HOUR), Ok(30));
    assert_no_names(&runtime);
}

struct Tick;

/// Registers itself first thing, and fails after some messages.
async fn incarnation(crashes: usize) -> Result<(), String> {
    register("service", self_pid()).map_err(|error| error.to_string())?;
    for _ in 0..crashes % 3 {
        let Typed(Tick) = receive().await;
    }
    Err("crash".to_owned())
}

/// Starts one after the other, when the `Down` of the one before has come.
async fn keeper(lives: usize, observer: Address<Anything>) {
    for n in 0..lives {
        let (child, watch) = spawn_monitor(incarnation(n));
        observer.send(child.pid());
        let reason = down_of(watch).await;
        assert_eq!(
            reason.to_string(),
            "error: crash",
            "registering never fails"
        );
        assert_eq!(where_is("service"), None, "[R29]");
    }
}

/// Monitors each incarnation. When its `Down` has come nobody finds that one any more.
async fn observer(lives: usize) {
    let mut gone = 0;
    while gone < lives {
        #[derive(Debug)]
        #[receive]
        enum Seen {
            Child(Pid),
            Down(Down),
        }
        match receive::<Seen>().await {
            Seen::Child(pid) => {
                monitor(pid);
            }
            Seen::Down(down) => {
                assert_ne!(where_is("service"), Some(down.pid), "[R29]");
                assert!(registered().iter().all(|&(_, pid)| pid != down.pid));
                gone += 1;
            }
        }
    }
}

/// Sends to whatever it finds, and forgets what it has learnt to be dead.
async fn resolver(done: Arc<AtomicBool>) {
    let mut last = None;
    while !done.load(Ordering::SeqCst) {
        if let Some(pid) = where_is("service") {
            if last != Some(pid) {
                monitor(pid);
                last = Some(pid);
            }
            let _ = send_named("service", Tick);
        }
        while let Some(down) = try_receive::<Down>() {
            assert_ne!(where_is("service"), Some(down.pid), "[R29]");
        }
        yield_now().await;
    }
}

async fn incarnations(lives: usize) {
    let done = Arc::new(AtomicBool::new(false));
    let (observer, observed) = spawn_monitor(observer(lives));
    let (_, resolved) = spawn_monitor(resolver(Arc::clone(&done)));
    let (_, kept) = spawn_monitor(keeper(lives, observer));
    assert_eq!(down_of(kept).await, ExitReason::Normal);
    assert_eq!(down_of(observed).await, ExitReason::Normal);
    done.store(true, Ordering::SeqCst);
    assert_eq!(down_of(resolved).await, ExitReason::Normal);
    assert_eq!(registered(), []);
}

// [R29] [R43] case 14, but for the supervisor.
#[test]
fn incarnations_take_the_name_over_on_threads() {
    let _watchdog = support::watchdog(300);
    let reason = Runtime::builder().workers(8).run(incarnations(1_000));
    assert_eq!(reason, ExitReason::Normal);
}

#[uproar::test(seeds = 500)]
async fn incarnations_take_the_name_over_under_seeds() {
    let _watchdog = support::watchdog(300);
    incarnations(10).await;
}

/// An actor that dies in one of some ways, while others give it names.
async fn dies_while_it_is_named(way: usize) {
    let (actor, watch) = spawn_monitor(async move {
        for _ in 0..way % 3 {
            yield_now().await;
        }
        if way.is_multiple_of(2) {
            register("own", self_pid()).ok();
        }
        if way.is_multiple_of(5) {
            panics();
        }
    });
    let to = actor.pid();
    let namers: Vec<_> = (0..3)
        .map(|n| {
            spawn_monitor(async move {
                for round in 0..3 {
                    let registered = register(format!("{n}/{round}"), to);
                    if n == 2 {
                        unregister(format!("0/{round}"));
                    }
                    if registered.is_ok() && way.is_multiple_of(7) {
                        kill(to);
                    }
                    yield_now().await;
                }
            })
        })
        .collect();
    if way.is_multiple_of(4) {
        yield_now().await;
        kill(&actor);
    }
    down_of(watch).await;
    // No name of it is left, and none comes any more.
    assert!(registered().iter().all(|&(_, pid)| pid != to), "[N3]");
    assert_eq!(register("late", to), Err(RegisterError::NoProcess));
    for (_, watch) in namers {
        assert_eq!(down_of(watch).await, ExitReason::Normal);
    }
    assert_eq!(registered(), [], "[N3]");
}

// [R31] [R43] a registration against a death, in thousands of orders.
#[test]
fn no_entry_outlives_its_actor_under_seeds() {
    let _watchdog = support::watchdog(300);
    for seed in 0..3_000 {
        let runtime = Runtime::builder().workers(3).seed(seed).manual();
        runtime.block_on(dies_while_it_is_named(seed as usize % 140));
        assert_no_names(&runtime);
    }
}

#[test]
fn no_entry_outlives_its_actor_on_threads() {
    let _watchdog = support::watchdog(300);
    let reason = Runtime::builder().workers(3).run(async {
        for round in 0..rounds(20_000) {
            dies_while_it_is_named(round % 140).await;
        }
    });
    assert_eq!(reason, ExitReason::Normal);
}

// Plain threads that register, take away and look up, while the actors come and go.
#[test]
fn threads_and_actors_at_once() {
    const THREADS: usize = 3;
    let each = rounds(50_000);
    let _watchdog = support::watchdog(300);
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let threads: Vec<_> = (0..THREADS)
        .map(|n| {
            let handle = runtime.handle();
            thread::spawn(move || {
                for round in 0..each {
                    let name = format!("name-{}", (round + n) % 5);
                    match round % 4 {
                        0 => drop(handle.spawn_with(&Spawn::new().name(name), until_stop())),
                        1 => {
                            let actor = handle.spawn(async { yield_now().await });
                            let _ = handle.register(name, &actor);
                        }
                        2 => drop(handle.send_named(name, support::Stop)),
                        _ => {
                            if let Some(pid) = handle.unregister(name) {
                                handle.kill(pid);
                            }
                        }
                    }
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    for (_, pid) in runtime.registered() {
        runtime.kill(pid);
    }
    assert_no_names(&runtime);
    for pid in runtime.processes() {
        runtime.kill(pid);
    }
    until_nobody_lives(&runtime);
    assert_no_names(&runtime);
}

/// Who got which name, in a run with choices.
fn play(seed: u64) -> Vec<(Arc<str>, Pid)> {
    let runtime: ManualRuntime = Runtime::builder().workers(3).seed(seed).manual();
    for n in 0..40u32 {
        runtime.spawn(async move {
            for round in 0..3 {
                if register(format!("{}", (n + round) % 10), self_pid()).is_err() {
                    yield_now().await;
                }
            }
            until_stop().await;
        });
    }
    runtime.run_until_idle();
    runtime.registered()
}

// [R59] The same seed, the same names; another one, others.
#[test]
fn a_seed_decides_who_gets_a_name() {
    let offsets = |names: &[(Arc<str>, Pid)]| -> Vec<String> {
        let shown = names.iter().map(|(name, pid)| format!("{name} {pid}"));
        shown.collect()
    };
    let plays: Vec<_> = (0..20).map(|seed| offsets(&play(seed))).collect();
    for (seed, first) in plays.iter().enumerate() {
        assert_eq!(first.len(), 10);
        assert_eq!(*first, offsets(&play(seed as u64)), "seed {seed}");
    }
    assert!(plays.iter().any(|play| *play != plays[0]));
}
