//! Types of the user's that are called like ours; and a name that the scan's own code has.

use uproar::prelude::*;

struct Down {
    floor: u8,
}

struct Some(u8);

enum Option {
    None { n: u8 },
}

#[actor]
async fn lift(done: ReplyTo<u8>) {
    let mut sum = 0;
    while sum < 6 {
        #[receive]
        match receive().await {
            Down { floor } if Down { floor: 1 }.floor == floor => sum += floor,
            Some(n) => sum += n,
            Option::None { n } => sum += n,
        }
    }
    done.send(sum);
}

struct Start(ReplyTo<u8>);

#[actor]
async fn starter() {
    #[receive]
    match receive().await {
        Start(done) => {
            let lift = spawn(lift(done));
            lift.send(Down { floor: 1 });
            lift.send(Some(2));
            lift.send(Option::None { n: 3 });
        }
    }
}

#[uproar::main]
async fn main() {
    let sum = spawn(starter()).ask(Start).await;
    assert!(matches!(sum, Ok(6)));
}
