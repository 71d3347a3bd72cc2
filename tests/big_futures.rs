//! Large futures, and large messages: no stack overflows on the way, and what the macros add is small.

use std::mem::size_of_val;

use uproar::prelude::*;

const MEBIBYTE: usize = 1 << 20;

struct Tick;
struct Large([u8; 4096]);

/// Keeps a mebibyte across an await.
#[actor]
async fn keeper(done: Recipient<usize>) {
    let mut kept = [0u8; MEBIBYTE];
    kept[MEBIBYTE - 1] = 7;
    #[receive]
    match receive().await {
        Tick => done.send(kept.iter().map(|&byte| usize::from(byte)).sum()),
    }
}

/// On a stack like the main thread's, which is where `run` is called: a test's is smaller.
fn on_a_main_threads_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(8 << 20);
    thread
        .spawn(test)
        .expect("a thread")
        .join()
        .expect("it ends well");
}

#[test]
fn of_the_main_actor() {
    on_a_main_threads_stack(|| {
        let end = uproar::run(async {
            let mut kept = [0u8; MEBIBYTE];
            kept[0] = 1;
            yield_now().await;
            assert_eq!(kept[0], 1);
        });
        assert_eq!(end, ExitReason::Normal);
    });
}

/// They run on workers with the stacks that std gives threads.
#[test]
fn of_an_actor() {
    on_a_main_threads_stack(|| {
        let end = uproar::run(async {
            let me = self_address::<Anything>();
            for _ in 0..8 {
                spawn(keeper(me.recipient())).send(Tick);
            }
            for _ in 0..8 {
                assert_eq!(receive::<Typed<usize>>().await, Typed(7));
            }
        });
        assert_eq!(end, ExitReason::Normal);
    });
}

/// From outside, through the handle of a runtime in the background.
#[test]
fn of_an_actor_spawned_from_outside() {
    on_a_main_threads_stack(|| {
        let runtime = uproar::Runtime::builder()
            .workers(2)
            .start()
            .expect("threads");
        let inbox = runtime.inbox::<usize>();
        runtime.spawn(keeper(inbox.address())).send(Tick);
        assert_eq!(inbox.recv_timeout(Duration::from_secs(60)), Ok(7));
    });
}

#[actor]
async fn skips(done: Recipient<u8>) {
    #[receive]
    match receive().await {
        Large(bytes) if bytes[0] == 2 => done.send(bytes[4095]),
        Tick => {}
    }
}

/// A message that is tested, or taken and not kept, is in no future.
#[uproar::test]
async fn messages_are_not_held() {
    let skips = skips(self_address::<Anything>().recipient());
    let size = size_of_val(&skips);
    assert!(size < 1024, "{size}");
    let skips = spawn(skips);
    skips.send(Large([1; 4096]));
    skips.send(Large([2; 4096]));
    assert_eq!(receive::<Typed<u8>>().await, Typed(2));
}
