//! On whose thread a message is cloned and dropped. R39.

use super::*;

/// Notes the threads that clone and drop it.
struct Traveller(Arc<Mutex<Vec<String>>>);

impl Traveller {
    fn note(&self) {
        let name = thread::current().name().unwrap_or("?").to_owned();
        self.0.lock().unwrap().push(name);
    }
}

impl Clone for Traveller {
    fn clone(&self) -> Self {
        self.note();
        Traveller(Arc::clone(&self.0))
    }
}

impl Drop for Traveller {
    fn drop(&mut self) {
        self.note();
    }
}

// [R39] no value of the user's is cloned or dropped on the reactor's thread.
#[test]
fn the_reactor_touches_no_value() {
    let _watchdog = support::watchdog(60);
    let threads = Arc::new(Mutex::new(Vec::new()));
    let runtime = Runtime::builder().workers(2).start().unwrap();
    let new = || Traveller(Arc::clone(&threads));
    let full = Spawn::new().mailbox(Mailbox::bounded(1));
    let mut actors = Vec::new();
    for how in [
        Spawn::new(),
        full.clone(),
        full.mailbox(Mailbox::bounded(2).drop_oldest()),
    ] {
        let target = runtime.spawn_with(&how, until_stop()).unwrap();
        for n in 0..20 {
            runtime.send_after(n * MS, &target, new());
        }
        runtime.send_interval(MS, &target, new());
        actors.push(target);
    }
    let inbox = runtime.inbox::<Traveller>();
    runtime.send_interval(MS, &inbox.address(), new());
    runtime.send_after(MINUTE, &inbox.address(), new());
    // Actors that end while their timers fire.
    for _ in 0..200 {
        let brief = runtime.spawn(async { sleep(MS).await });
        for _ in 0..10 {
            runtime.send_after(MS, &brief, new());
        }
    }
    thread::sleep(50 * MS);
    for actor in &actors {
        actor.send(Stop);
    }
    runtime.shutdown(SECOND);
    drop((runtime, inbox));
    let threads = threads.lock().unwrap();
    let strange: Vec<_> = threads
        .iter()
        .filter(|name| name.ends_with("-reactor"))
        .collect();
    assert!(strange.is_empty(), "{strange:?}");
    assert!(threads.len() > 2000);
}

// [R39] a `clone` that panics ends its interval and nothing else.
#[test]
fn a_clone_that_panics() {
    let _watchdog = support::watchdog(60);
    struct Fragile(Arc<AtomicUsize>, Token);
    let drops = DropCounter::new();
    impl Clone for Fragile {
        fn clone(&self) -> Self {
            assert!(self.0.fetch_add(1, Ordering::SeqCst) < 2, "fragile");
            Fragile(Arc::clone(&self.0), self.1.clone())
        }
    }
    let clones = Arc::new(AtomicUsize::new(0));
    let runtime = Runtime::builder().workers(1).start().unwrap();
    let inbox = runtime.inbox::<Fragile>();
    let timer = runtime.send_interval(MS, &inbox.address(), Fragile(clones.clone(), drops.token()));
    let healthy = runtime.inbox::<u8>();
    runtime.send_interval(MS, &healthy.address(), 1);
    for _ in 0..2 {
        inbox.recv_timeout(MINUTE).ok().unwrap();
    }
    drops.wait_for(3);
    for _ in 0..5 {
        assert_eq!(healthy.recv_timeout(MINUTE), Ok(1));
    }
    assert_eq!(timer.cancel(), None);
    assert_eq!(clones.load(Ordering::SeqCst), 3);
    assert!(inbox.try_recv().is_none());
    assert_eq!(runtime.stats().timers, 1);
    assert_eq!(runtime.stats().panicked, 0);
}

// [R39] a message whose clone cancels its own interval.
#[test]
fn a_clone_that_cancels() {
    #[derive(Default)]
    struct Own(Arc<Mutex<Option<Timer>>>);
    impl Clone for Own {
        fn clone(&self) -> Self {
            let timer = self.0.lock().unwrap().clone();
            assert_eq!(timer.unwrap().cancel(), Some(Duration::ZERO));
            Own(Arc::clone(&self.0))
        }
    }
    let runtime = Runtime::builder().manual();
    let inbox = runtime.inbox::<Own>();
    let own = Own::default();
    let slot = Arc::clone(&own.0);
    let timer = runtime.send_interval(SECOND, &inbox.address(), own);
    *slot.lock().unwrap() = Some(timer);
    runtime.advance(MINUTE);
    assert!(inbox.try_recv().is_none());
    assert_eq!(runtime.stats().timers, 0);
    assert_eq!(Arc::strong_count(&slot), 1, "the message is gone");
}
