//! Receives in the wrong place. R17.

use super::*;

// [R17]
#[test]
fn receives_outside_an_actor_panic() {
    let text = panic_of(receive::<A>);
    assert!(
        text.contains("`receive` was called outside an actor"),
        "{text}"
    );
    assert!(text.contains("Inbox"), "{text}");
    assert!(panic_of(|| receive_if(|_: &A| true)).contains("outside an actor"));
    assert!(panic_of(try_receive::<A>).contains("outside an actor"));
}

// [R17] made in an actor, polled by a plain thread.
#[test]
fn a_receive_polled_outside_an_actor_panics() {
    let _watchdog = support::watchdog(60);
    let runtime = uproar::Runtime::builder().manual();
    let receive = runtime.block_on(async { Some(receive::<A>()) }).unwrap();
    let mut receive: Pin<Box<dyn Future<Output = A>>> = Box::pin(receive);
    let text = panic_of(|| receive.as_mut().now_or_never());
    assert!(text.contains("outside an actor"), "{text}");
}
