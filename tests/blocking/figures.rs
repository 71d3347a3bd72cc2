//! A figure: how late a ticker is.

use super::*;

/// How late a ticker is beside actors that block. A figure, so not part of every run:
/// `cargo test --release --test blocking -- --ignored`.
#[test]
#[ignore = "measures"]
fn a_ticker_is_on_time_beside_a_thousand_that_block() {
    let runtime = Runtime::builder().workers(1).start().unwrap();
    let inbox = runtime.inbox::<Duration>();
    let to = inbox.address();
    let done = Arc::new(AtomicUsize::new(0));
    let blocked = done.clone();
    runtime.spawn(async move {
        for _ in 0..1000 {
            let blocked = blocked.clone();
            spawn_blocked(async move {
                thread::sleep(Duration::from_millis(50));
                blocked.fetch_add(1, Ordering::SeqCst);
            });
            yield_now().await;
        }
    });
    runtime.spawn(async move {
        for _ in 0..500 {
            let due = now() + Duration::from_millis(1);
            sleep_until(due).await;
            to.send(now() - due);
        }
    });
    let mut late: Vec<_> = (0..500)
        .map(|_| inbox.recv_timeout(Duration::from_secs(60)).unwrap())
        .collect();
    until("all have blocked", || done.load(Ordering::SeqCst) == 1000);
    late.sort_unstable();
    let (p50, p99) = (late[250], late[495]);
    println!("late: p50 {p50:?}, p99 {p99:?}, most {:?}", late[499]);
    assert!(p99 < Duration::from_millis(5), "{p99:?}");
}
