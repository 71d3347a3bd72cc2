//! 9. Simulation: the same actors under seeds, with a clock that does not wait.
//!
//! A manual runtime has no threads. Its caller ticks it, and every choice that
//! threads would make by chance (who runs next, who steals, which of two equal
//! deadlines comes first) is drawn from a seed. So a race is found by trying seeds,
//! and found again, as often as it takes, by the one that showed it. In a test this
//! is `#[uproar::test(seeds = 1_000)]`; here it is by hand, to show what that does.

use uproar::{Runtime, Tick, prelude::*};

struct Balance(ReplyTo<u64>);
struct SetBalance(u64);
struct Deposit(u64);

#[actor]
async fn account(mut balance: u64) {
    loop {
        #[receive]
        match receive().await {
            Balance(reply_to) => reply_to.send(balance),
            SetBalance(new) => balance = new,
            Deposit(amount) => balance += amount,
        }
    }
}

/// Wrong: between the question and the answer others have their turn.
async fn deposit_in_two_steps(
    account: Address<Account>,
    done: Recipient<()>,
) -> Result<(), AskError> {
    let balance = account.ask(Balance).await?;
    account.send(SetBalance(balance + 10));
    done.send(());
    Ok(())
}

/// Right: one message, one step.
async fn deposit_in_one_step(
    account: Address<Account>,
    done: Recipient<()>,
) -> Result<(), AskError> {
    account.send(Deposit(10));
    done.send(());
    Ok(())
}

/// Two clients deposit 10 each. What the account holds afterwards, under this seed.
fn two_deposits<F>(seed: u64, deposit: fn(Address<Account>, Recipient<()>) -> F) -> u64
where
    F: Future<Output = Result<(), AskError>> + Send + 'static,
{
    let runtime = Runtime::builder().seed(seed).manual();
    runtime.block_on(async {
        let me = self_address::<Anything>();
        let account = spawn(account(0));
        for _ in 0..2 {
            spawn(deposit(account.clone(), me.recipient()));
        }
        for _ in 0..2 {
            let Typed(()) = receive().await;
        }
        account.ask(Balance).await.expect("the account lives")
    })
}

fn main() {
    // Threads would show this race once in a blue moon. Seeds show it at once.
    let seed = (0..1_000)
        .find(|&seed| two_deposits(seed, deposit_in_two_steps) != 20)
        .expect("one of a thousand schedules shows the race");
    println!("seed {seed}: a deposit is lost");
    for _ in 0..10 {
        assert_eq!(two_deposits(seed, deposit_in_two_steps), 10);
    }
    println!("and again, ten times of ten");
    assert!((0..1_000).all(|seed| two_deposits(seed, deposit_in_one_step) == 20));
    println!("the other way is right under a thousand schedules");

    // The clock is virtual: it jumps to the next deadline when nobody can run.
    let real = std::time::Instant::now();
    let runtime = Runtime::builder().manual();
    let slept = runtime.block_on(async {
        let start = now();
        sleep(Duration::from_secs(365 * 24 * 3600)).await;
        now() - start
    });
    println!(
        "slept for {} days in {:?}",
        slept.as_secs() / 86_400,
        real.elapsed()
    );
    assert_eq!(slept.as_secs(), 365 * 24 * 3600);
    assert!(real.elapsed() < Duration::from_secs(60));

    // Or step by step: a tick runs one slice of one actor.
    let runtime = Runtime::builder().manual();
    let inbox = runtime.inbox::<&str>();
    let to = inbox.address();
    runtime.spawn(async move {
        sleep(Duration::from_secs(60)).await;
        to.send("a minute is over");
    });
    assert_eq!(runtime.tick(), Tick::Ran);
    assert_eq!(
        runtime.tick(),
        Tick::Waits(runtime.now() + Duration::from_secs(60))
    );
    runtime.advance(Duration::from_secs(59));
    assert_eq!(inbox.try_recv(), None);
    runtime.advance(Duration::from_secs(1));
    assert_eq!(inbox.try_recv(), Some("a minute is over"));
    assert_eq!(runtime.tick(), Tick::Idle);

    // When nobody can ever run again, `block_on` panics and says who waits, where
    // threads would hang.
    let deadlock = std::panic::catch_unwind(|| {
        let runtime = Runtime::builder().manual();
        runtime.block_on(async {
            let mute = spawn(account(0));
            while mute.is_alive() {
                let _: Envelope = receive().await;
            }
        });
    });
    let report = deadlock.expect_err("nobody sends anything");
    let report = report.downcast_ref::<String>().expect("a text");
    assert!(report.contains("deadlock: all actors wait"));
}
