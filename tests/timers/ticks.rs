//! Timers that count the ticks of a manual runtime.

use super::*;

#[test]
fn ticks_count_ticks() {
    let runtime = Runtime::builder().manual();
    let inbox = runtime.inbox::<u32>();
    let every = runtime.send_interval_ticks(2, &inbox.address(), 1);
    let once = runtime.send_after_ticks(3, &inbox.address(), 10);
    let never = runtime.send_after_ticks(u64::MAX, &inbox.address(), 100);
    assert_eq!(runtime.stats().timers, 3);
    let mut got = Vec::new();
    for _ in 0..6 {
        assert_eq!(runtime.tick(), Tick::Counted);
        got.push(std::iter::from_fn(|| inbox.try_recv()).sum::<u32>());
    }
    assert_eq!(got, [0, 1, 10, 1, 0, 1]);
    assert_eq!(runtime.stats().uptime, Duration::ZERO);
    assert_eq!(once.cancel(), None);
    assert_eq!(every.cancel(), Some(Duration::ZERO));
    assert_eq!(
        runtime.tick(),
        Tick::Idle,
        "what is never is not waited for"
    );
    assert_eq!(never.cancel(), Some(Duration::ZERO));
    assert_eq!(runtime.stats().timers, 0);
}

// `block_on` and `wait_ticking` go on while ticks are counted.
#[test]
fn ticks_are_waited_for() {
    let runtime = Runtime::builder().manual();
    runtime.block_on(async {
        send_after_ticks(20, &self_pid(), 'x');
        let every = send_interval_ticks(5, &self_pid(), 'y');
        for _ in 0..3 {
            let Typed(y) = receive::<Typed<char>>().await;
            assert_eq!(y, 'y');
        }
        assert!(every.cancel().is_some());
        assert_eq!(receive_if(|&c: &char| c == 'x').await, 'x');
    });
    let server = runtime.spawn(async {
        let Typed(reply_to) = receive::<Typed<ReplyTo<u8>>>().await;
        send_after_ticks(10, &self_pid(), reply_to);
        let Typed(reply_to) = receive::<Typed<ReplyTo<u8>>>().await;
        reply_to.send(7);
    });
    let early = server
        .clone()
        .ask(|reply_to: ReplyTo<u8>| reply_to)
        .wait_ticking(&runtime, 5);
    assert_eq!(early, Err(AskError::Timeout));
    let runtime = Runtime::builder().manual();
    let server = runtime.spawn(async {
        let Typed(reply_to) = receive::<Typed<ReplyTo<u8>>>().await;
        send_after_ticks(10, &self_pid(), reply_to);
        let Typed(reply_to) = receive::<Typed<ReplyTo<u8>>>().await;
        reply_to.send(7);
    });
    let ask = server.ask(|reply_to: ReplyTo<u8>| reply_to);
    assert_eq!(ask.wait_ticking(&runtime, 50), Ok(7));
}

#[test]
fn threads_do_not_tick() {
    let reason = Runtime::builder().workers(1).run(async {
        drop(send_after_ticks(1, &self_pid(), 5));
    });
    assert!(reason.to_string().contains("does not tick"), "{reason}");
}

// A timer that never comes is nothing to wait for.
#[test]
fn a_deadlock_beside_what_never_comes() {
    let reason = Runtime::builder()
        .workers(1)
        .exit_when_idle(true)
        .run(async {
            send_after(Duration::MAX, &self_pid(), 'a');
            sleep(5 * MS).await;
            let _: Envelope = receive().await;
        });
    assert!(reason.to_string().contains("deadlock"), "{reason}");
    let reason = Runtime::builder()
        .workers(1)
        .exit_when_idle(true)
        .run(async {
            send_after(300 * MS, &self_pid(), 'a');
            let _: Envelope = receive().await;
        });
    assert_eq!(reason, ExitReason::Normal);
}
