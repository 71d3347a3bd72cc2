//! Arms that leave nothing out are as welcome as arms that do.
#![deny(warnings)]
use uproar::prelude::*;

enum Command {
    Go(bool),
    Stop,
}
struct Add(u8);

#[actor]
async fn all() {
    let me = self_address::<All>();
    me.send(Add(1));
    me.send(Command::Go(true));
    let mut left = 2;
    while left > 0 {
        #[receive]
        match receive().await {
            Add(0) => unreachable!(),
            Add(1..=255) => left -= 1,
            Command::Go(true) => left -= 1,
            Command::Go(false) => unreachable!(),
            Command::Stop => break,
        }
    }
}

fn main() {
    let _ = Command::Stop;
    let _ = Command::Go(false);
    assert_eq!(uproar::run(all()), ExitReason::Normal);
}
