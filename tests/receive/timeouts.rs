//! A receive and its deadline. R11, R12.

use super::*;

// [R11]
#[uproar::test(seeds = 200)]
async fn unmatched_arrivals_do_not_move_the_deadline() {
    let main = self_address::<Anything>();
    let start = now();
    spawn(async move {
        for n in 0..20 {
            sleep(Duration::from_millis(30)).await;
            main.send(B(n));
        }
    });
    let limit = Duration::from_millis(100);
    assert_eq!(receive::<A>().timeout(limit).await, Err(Timeout));
    assert_eq!(now() - start, limit);
    let start = now();
    #[receive(timeout = limit)]
    match receive().await {
        A(_) => unreachable!(),
        B(n) if n > 100 => unreachable!(),
        Timeout => assert_eq!(now() - start, limit),
    }
}

// [R11] the deadline is fixed when the receive is made, not when it is first polled.
#[uproar::test(seeds = 50)]
async fn the_deadline_counts_from_the_call() {
    let start = now();
    let received = receive::<A>().timeout(Duration::from_millis(100));
    sleep(Duration::from_millis(60)).await;
    assert_eq!(received.await, Err(Timeout));
    assert_eq!(now() - start, Duration::from_millis(100));
}

// [R12] at the deadline itself it is one of the two: the message, or a timeout with the
// message still there.
#[uproar::test(seeds = 500)]
async fn at_the_deadline_it_is_the_message_or_the_timeout() {
    let main = self_address::<Anything>();
    let limit = Duration::from_millis(10);
    for n in 0..20 {
        let main = main.clone();
        spawn(async move {
            sleep(limit).await;
            main.send(A(n));
        });
        match receive::<A>().timeout(limit).await {
            Ok(message) => assert_eq!(message, A(n)),
            Err(Timeout) => assert_eq!(receive::<A>().await, A(n)),
        }
        assert!(try_receive::<Envelope>().is_none());
    }
}

// [R12] in one poll, with the timeout looked at first.
#[uproar::test(simulate)]
async fn a_timeout_that_is_noticed_first_leaves_the_message() {
    let me = self_address::<Anything>();
    let limit = Duration::from_millis(10);
    let (received, ()) = join(receive::<A>().timeout(limit), async {
        sleep(limit).await;
        me.send(A(1));
    })
    .await;
    assert_eq!(received, Err(Timeout));
    assert_eq!(try_receive::<A>(), Some(A(1)));
    let ((), received) = join(
        async {
            sleep(limit).await;
            me.send(A(2));
        },
        receive::<A>().timeout(limit),
    )
    .await;
    assert_eq!(received, Ok(A(2)));
}
