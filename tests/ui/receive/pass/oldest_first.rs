//! The oldest message that some arm takes; the others keep their order. [R8] [R9]
#![deny(warnings)]
use uproar::prelude::*;

struct Left(u8);
struct Right(u8);

#[actor]
async fn oldest_first() {
    let me = self_address::<OldestFirst>();
    for n in [5, 1, 7, 2, 9] {
        me.send(Left(n));
        me.send(Right(n));
    }
    let mut seen = Vec::new();
    for limit in [1, 2, 9, 9] {
        #[receive]
        match receive().await {
            Right(n) if n <= limit => seen.push(("right", n)),
            Left(n) if n < limit => seen.push(("left", n)),
        }
    }
    assert_eq!(seen, [("right", 1), ("left", 1), ("left", 5), ("right", 5)]);
    let mut rest = Vec::new();
    for _ in 0..6 {
        #[receive]
        match receive().await {
            Left(n) | Right(n) => rest.push(n),
        }
    }
    assert_eq!(rest, [7, 7, 2, 2, 9, 9]);
}

fn main() {
    assert_eq!(uproar::run(oldest_first()), ExitReason::Normal);
}
