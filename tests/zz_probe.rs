mod support;
use uproar::prelude::*;
use uproar::Runtime;
use support::*;

#[test]
fn c_far_sleep() {
    let _w = watchdog(10);
    let rt = Runtime::builder().manual();
    rt.block_on(async { sleep(Duration::from_millis(u64::MAX)).await; });
}

#[test]
fn f_two_recv() {
    let _w = watchdog(30);
    let rt = Runtime::builder().workers(1).start().unwrap();
    let inbox = rt.inbox::<u32>();
    std::thread::scope(|s| {
        let ts: Vec<_> = (0..2).map(|_| s.spawn(|| inbox.recv_timeout(Duration::from_secs(5)))).collect();
        std::thread::sleep(Duration::from_millis(300));
        inbox.address().send(1);
        inbox.address().send(2);
        let got: Vec<_> = ts.into_iter().map(|t| t.join().unwrap()).collect();
        println!("{got:?}");
        assert!(got.iter().all(|g| g.is_ok()), "{got:?}");
    });
}

#[test]
fn h_surplus_counted() {
    let rt = Runtime::builder().mailbox(Mailbox::bounded(1).drop_oldest()).workers(1).manual();
    rt.block_on(async {
        use futures::future::FutureExt;
        let me = self_address::<Anything>();
        me.send(1u32);
        let none = receive_if(|n: &u32| { if *n == 1 { me.send(2u32); } false });
        assert!(none.now_or_never().is_none());
    });
    assert_eq!(rt.stats().mailbox_drops, 1);
}

#[test]
fn j_foreign_drop_reason() {
    let rt = Runtime::builder().workers(1).manual();
    let how = Spawn::new().mailbox(Mailbox::bounded(1).drop_oldest());
    let full = rt.spawn_with(&how, until_stop()).unwrap();
    rt.run_until_idle();
    let ask = full.ask(|r: ReplyTo<()>| r);
    let f2 = full.clone();
    rt.spawn(async move { f2.send(1); panic!("the sender"); });
    let got = rt.block_on(ask);
    assert_eq!(got, Err(AskError::NoReply));
}

#[test]
fn t_waker_panics() {
    let _w = watchdog(20);
    use std::sync::Arc; use std::task::{Wake, Context};
    struct P; impl Wake for P { fn wake(self: Arc<Self>) { panic!("waker"); } }
    let rt = Runtime::builder().workers(1).start().unwrap();
    let a = rt.spawn(async {
        let mut r = Box::pin(receive::<Typed<u32>>());
        let w = std::task::Waker::from(Arc::new(P));
        assert!(r.as_mut().poll(&mut Context::from_waker(&w)).is_pending());
        until_stop().await;
    });
    a.send(1u32);
    let b = rt.spawn(until_stop());
    let end = end_of(&b);
    b.send(Stop);
    assert_eq!(block_on(end), ExitReason::Normal);
}
