//! 3. Ask: a request, its reply, and all that can come instead of it.
//!
//! A request is a message with a `ReplyTo` in it. `ask` makes the `ReplyTo`, sends
//! the message and waits for the reply, which does not come through the mailbox. An
//! ask never waits for an answer that can't come: when the request is lost, for
//! whatever reason, the asker learns so at once, and why.

use uproar::prelude::*;

struct Divide {
    dividend: u32,
    divisor: u32,
    reply_to: ReplyTo<Result<u32, String>>,
}

/// A request that the calculator forgets.
struct Forget(#[allow(dead_code)] ReplyTo<()>);

/// A request that it does not survive.
struct Break(#[allow(dead_code)] ReplyTo<()>);

/// A request on which it works for as long as anyone waits.
struct Ponder(ReplyTo<&'static str>);

#[actor]
async fn calculator() {
    loop {
        #[receive]
        match receive().await {
            // "It does not work" is an ordinary reply.
            Divide {
                divisor: 0,
                dividend,
                reply_to,
            } => {
                reply_to.send(Err(format!("{dividend} can't be divided by zero")));
            }
            Divide {
                dividend,
                divisor,
                reply_to,
            } => reply_to.send(Ok(dividend / divisor)),
            Forget(_) => {}
            Break(_) => panic!("out of order"),
            Ponder(reply_to) => {
                while reply_to.is_wanted() {
                    sleep(Duration::from_millis(1)).await;
                }
                // The asker has given up. That harms nobody: the reply vanishes.
                reply_to.send("42");
            }
        }
    }
}

/// Asks itself, which can't work: while it waits it does not receive.
#[actor(receives(Ponder))]
async fn thinker(to: Recipient<AskError>) {
    let me = self_address::<Thinker>();
    if let Err(error) = me.ask(Ponder).await {
        to.send(error);
    }
}

#[uproar::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let calculator = spawn(calculator());

    // With one field, the message's own name makes it out of a `ReplyTo`; with more,
    // a closure does.
    let divide = |dividend, divisor| {
        move |reply_to| Divide {
            dividend,
            divisor,
            reply_to,
        }
    };
    assert_eq!(calculator.ask(divide(84, 2)).await?, Ok(42));
    let refused = calculator.ask(divide(84, 0)).await?;
    println!("{}", refused.unwrap_err());

    // A limit for the wait. The request itself is not taken back.
    let late = calculator
        .ask(Ponder)
        .timeout(Duration::from_millis(20))
        .await;
    let late = late.unwrap_err();
    println!("ponder: {late}");
    assert_eq!(late, AskError::Timeout);

    // The `ReplyTo` is dropped by an actor that lives on.
    let forgotten = calculator.ask(Forget).await;
    let forgotten = forgotten.unwrap_err();
    println!("forget: {forgotten}");
    assert_eq!(forgotten, AskError::NoReply);

    // The actor dies over the request. (The panic's own message is on stderr; the
    // actor ends with it, the program goes on.)
    let broken = calculator.ask(Break).await;
    let Err(AskError::Gone(ExitReason::Panic(panic))) = &broken else {
        unreachable!("it panics: {broken:?}")
    };
    println!("break: {}", panic.message());
    assert_eq!(panic.message(), "out of order");

    // From now on it is dead, and says so without delay.
    let dead = calculator.ask(divide(1, 1)).await;
    println!("dead: {}", dead.as_ref().unwrap_err());
    assert_eq!(dead, Err(AskError::Gone(ExitReason::NoProcess)));

    let me = self_address::<Anything>();
    spawn(thinker(me.recipient()));
    let Typed(error) = receive::<Typed<AskError>>().await;
    println!("thinker: {error}");
    assert_eq!(error, AskError::CallingSelf);
    Ok(())
}
