//! `-> !` is an endless loop, a panic, or an exit.
#![deny(warnings)]
use uproar::prelude::*;

struct Get(ReplyTo<u32>);

#[actor]
async fn counter() -> ! {
    let mut seen = 0;
    loop {
        #[receive]
        match receive().await {
            Get(reply_to) => reply_to.send(seen),
        }
        seen += 1;
    }
}

#[actor]
async fn panics() -> ! {
    panic!("as told")
}

#[receive]
async fn helper() -> ! {
    loop {
        #[receive(timeout = Duration::ZERO)]
        match receive().await {
            Get(_) => {}
            Timeout => panic!("as told"),
        }
    }
}

#[actor]
async fn through_a_helper() -> ! {
    helper().await
}

fn main() {
    let end = uproar::run(async {
        let counter = spawn(counter());
        assert_eq!(counter.ask(Get).await, Ok(0));
        assert_eq!(counter.ask(Get).await, Ok(1));
    });
    assert_eq!(end, ExitReason::Normal);
    for end in [uproar::run(panics()), uproar::run(through_a_helper())] {
        assert!(matches!(end, ExitReason::Panic(panicked) if panicked.message() == "as told"));
    }
}
