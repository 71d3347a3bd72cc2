//! Destructors that a shutdown runs call back into the runtime. R57, case 23.

use super::*;

// [R57] destructors that a shutdown runs call back into the runtime.
#[test]
fn destructors_call_back_during_the_shutdown() {
    let _watchdog = support::watchdog(60);
    const ACTORS: usize = 1000;
    for inside in [false, true] {
        let runtime = Runtime::builder().workers(3).start().unwrap();
        let guards = Arc::new(AtomicUsize::new(0));
        let drops = DropCounter::new();
        let mut neighbour = runtime.spawn(until_stop());
        for _ in 0..ACTORS {
            let (to, counted, tokens) = (neighbour, Arc::clone(&guards), drops.clone());
            let handle = runtime.handle();
            let guard = OnDrop(move || {
                counted.fetch_add(1, Ordering::SeqCst);
                to.send(Counted(tokens.token()));
                let child = tokens.token();
                spawn(async move {
                    let _child = child;
                    until_stop().await;
                });
                let child = tokens.token();
                handle.spawn(async move {
                    let _child = child;
                    until_stop().await;
                });
                drop(to.ask(|reply_to: ReplyTo<()>| (reply_to, tokens.token())));
                assert!(!handle.shutdown(HOUR).ended);
            });
            neighbour = runtime.spawn(async move {
                let _guard = guard;
                until_stop().await;
            });
        }
        if inside {
            let handle = runtime.handle();
            runtime.spawn(async move {
                handle.shutdown(HOUR);
            });
            runtime.join();
        }
        let report = runtime.shutdown(HOUR);
        assert!(report.ended && report.stuck.is_empty());
        assert_eq!(report.killed, 0);
        assert_eq!(guards.load(Ordering::SeqCst), ACTORS);
        assert_eq!(drops.count(), 4 * ACTORS);
    }
}

// [R57] the same, on the manual runtime.
#[test]
fn destructors_call_back_during_a_manual_shutdown() {
    for seed in 0..200 {
        let runtime = Runtime::builder().seed(seed).manual();
        let drops = DropCounter::new();
        let mut neighbour = runtime.spawn(until_stop());
        for _ in 0..20 {
            let (to, tokens) = (neighbour, drops.clone());
            let guard = OnDrop(move || {
                to.send(Counted(tokens.token()));
                let child = tokens.token();
                assert!(!spawn(async move { drop(child) }).is_alive());
            });
            neighbour = runtime.spawn(async move {
                let _guard = guard;
                until_stop().await;
            });
        }
        if seed % 2 == 0 {
            runtime.run_until_idle();
        }
        let before = runtime.now();
        let report = runtime.shutdown(HOUR);
        assert!(report.ended && report.stuck.is_empty());
        assert_eq!(report.killed, 0);
        assert_eq!(runtime.now(), before, "all obeyed at once");
        assert_eq!(drops.count(), 40);
    }
}
