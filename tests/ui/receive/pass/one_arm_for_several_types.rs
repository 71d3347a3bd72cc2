//! Alternatives of several types in one arm.
#![deny(warnings)]
use uproar::prelude::*;

struct Left(u8);
struct Right(u8);
struct Stop;
enum Command {
    Go(u8),
}

#[actor]
async fn alternatives() {
    let me = self_address::<Anything>();
    me.send(Left(9));
    me.send(Command::Go(5));
    me.send(Right(2));
    let n = #[receive]
    match receive().await {
        Left(n @ 1..=3) | Right(n) | Command::Go(n @ (4 | 5)) if n > 3 => n,
    };
    assert_eq!(n, 5);
    let n = #[receive]
    match receive().await {
        Right(mut n) | (Left(mut n) | Command::Go(mut n)) => {
            n += 1;
            n
        }
    };
    assert_eq!(n, 10);
    me.send(Stop);
    let mut seen = 0;
    for _ in 0..2 {
        #[receive]
        match receive().await {
            Left(_) | Stop | Right(..) | Command::Go(_) => seen += 1,
        }
    }
    assert_eq!(seen, 2);
}

fn main() {
    assert_eq!(uproar::run(alternatives()), ExitReason::Normal);
}
