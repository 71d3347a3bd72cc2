//! Figures: what they count, and that reading them changes nothing. (R62)

mod support;

use std::cell::RefCell;
use std::time::Instant;

use support::until_stop;
use uproar::prelude::*;
use uproar::{ManualRuntime, Runtime, RuntimeStats, Tick};

fn charges(stats: &RuntimeStats) -> (usize, usize) {
    let workers = &stats.workers;
    (
        workers.iter().map(|worker| worker.actors).sum(),
        workers.iter().map(|worker| worker.mailbox_depth).sum(),
    )
}

#[test]
fn each_actor_and_its_messages_are_one_workers() {
    let _watchdog = support::watchdog(120);
    for seed in 0..50 {
        let runtime = Runtime::builder().workers(3).seed(seed).manual();
        let inbox = runtime.inbox::<u32>();
        let actors: Vec<Address<Anything>> = (0..20).map(|_| runtime.spawn(until_stop())).collect();
        assert_eq!(charges(&runtime.stats()), (20, 0), "before they have run");
        for (n, actor) in actors.iter().enumerate() {
            (0..n).for_each(|n| actor.send(n));
        }
        inbox.address().send(1);
        let messages = (0..20).sum::<usize>();
        assert_eq!(
            charges(&runtime.stats()),
            (20, messages),
            "an inbox is no actor"
        );
        // They skip what they have got, and keep it.
        runtime.run_until_idle();
        actors[3].send(0);
        assert_eq!(charges(&runtime.stats()), (20, messages + 1));
        let stats = runtime.stats();
        for (worker, figures) in stats.workers.iter().enumerate() {
            let infos = actors
                .iter()
                .map(|actor| runtime.process_info(actor).unwrap());
            let own: Vec<_> = infos
                .filter(|info| info.worker == Some(WorkerId::new(worker)))
                .collect();
            assert_eq!(figures.actors, own.len());
            let depth = own.iter().map(|info| info.mailbox_len).sum::<usize>();
            assert_eq!(figures.mailbox_depth, depth);
        }
        // What is received, and who is gone, is in no figure any more.
        actors[19].send(support::Stop);
        runtime.run_until_idle();
        let left = messages + 1 - 19;
        assert_eq!(charges(&runtime.stats()), (19, left));
        for actor in &actors {
            runtime.kill(actor);
        }
        runtime.run_until_idle();
        assert_eq!(charges(&runtime.stats()), (0, 0));
        assert_eq!(inbox.try_recv(), Some(1));
    }
}

#[test]
fn on_threads_each_is_counted_once() {
    let _watchdog = support::watchdog(120);
    let runtime = Runtime::builder().workers(3).start().unwrap();
    let actors: Vec<Address<Anything>> = (0..1000).map(|_| runtime.spawn(until_stop())).collect();
    actors.iter().for_each(|actor| actor.send(7));
    loop {
        let stats = runtime.stats();
        assert!(charges(&stats).0 <= 1000);
        if stats.workers.iter().all(|worker| worker.runnable == 0)
            && charges(&stats) == (1000, 1000)
        {
            break;
        }
    }
    for actor in actors {
        actor.send(support::Stop);
    }
    while runtime.stats().live > 0 {
        std::thread::yield_now();
    }
    assert_eq!(charges(&runtime.stats()), (0, 0));
}

/// Actors of many kinds, and what they have seen in which order.
fn play(seed: u64, read: impl Fn(&ManualRuntime)) -> (Vec<String>, String) {
    let log = RefCell::new(Vec::new());
    let runtime = Runtime::builder()
        .workers(2)
        .seed(seed)
        .reductions(8)
        .manual();
    let inbox = runtime.inbox::<(u32, u32)>();
    for n in 0..6u32 {
        let to = inbox.address();
        let mailbox = match n % 3 {
            0 => Mailbox::unbounded(),
            1 => Mailbox::bounded(4).drop_oldest(),
            _ => Mailbox::bounded(4),
        };
        let how = Spawn::new().mailbox(mailbox);
        let actor: Address<Anything> = runtime
            .spawn_with(&how, async move {
                for round in 0..30u32 {
                    let odd = receive_if(|m: &u32| m % 2 == 1);
                    let got = timeout(Duration::from_millis(3), odd).await;
                    to.send((n, got.unwrap_or(round)));
                    if let Some(Typed(support::Stop)) = try_receive() {
                        return;
                    }
                    spawn_link(async { yield_now().await });
                }
            })
            .unwrap();
        for m in 0..20u32 {
            runtime.send_after(Duration::from_millis(m.into()), &actor, m);
        }
        runtime.send_after(Duration::from_millis(30), &actor, support::Stop);
    }
    loop {
        read(&runtime);
        match runtime.tick() {
            Tick::Ran | Tick::Counted => {}
            Tick::Waits(at) => runtime.advance(at - runtime.now()),
            _ => break,
        }
        while let Some(seen) = inbox.try_recv() {
            log.borrow_mut().push(format!("{seen:?}"));
        }
    }
    assert_eq!(runtime.stats().live, 0);
    (log.into_inner(), format!("{:?}", runtime.stats()))
}

// [R62] A run in which everything is read at every tick is the run in which nothing is.
#[test]
fn reading_changes_nothing() {
    let _watchdog = support::watchdog(120);
    for seed in 0..100 {
        let quiet = play(seed, |_| {});
        assert!(quiet.0.len() > 60);
        let watched = play(seed, |runtime| {
            let first = format!("{:?}", runtime.stats());
            for pid in runtime.processes() {
                let info = format!("{:?}", runtime.process_info(pid).unwrap());
                assert_eq!(info, format!("{:?}", runtime.process_info(pid).unwrap()));
            }
            assert_eq!(first, format!("{:?}", runtime.stats()));
        });
        assert_eq!(quiet, watched, "seed {seed}");
    }
}

// [R62] Counters start again; what is a level stays.
#[test]
fn a_reset_leaves_levels() {
    let runtime = Runtime::builder().workers(1).manual();
    let actor: Address<Anything> = runtime.spawn(until_stop());
    actor.send(1);
    runtime.run_until_idle();
    runtime.reset_stats();
    let stats = runtime.stats();
    assert_eq!((stats.spawned, stats.workers[0].slices), (0, 0));
    assert_eq!((stats.live, charges(&stats)), (1, (1, 1)));
}

/// `cargo test --release --test stats -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn what_reading_costs() {
    const ACTORS: u32 = 1_000_000;
    let runtime = Runtime::builder().workers(2).manual();
    let actors: Vec<Address<Anything>> = (0..ACTORS).map(|_| runtime.spawn(until_stop())).collect();
    runtime.run_until_idle();
    for messages in [0, 1, 10] {
        let start = Instant::now();
        let stats = runtime.stats();
        let each = start.elapsed().as_nanos() / u128::from(ACTORS);
        eprintln!("{messages} messages each: {each} ns an actor");
        assert_eq!(charges(&stats).0, ACTORS as usize);
        if messages < 10 {
            for actor in &actors {
                (0..9 * messages + 1).for_each(|n| actor.send(n));
            }
        }
    }
}
