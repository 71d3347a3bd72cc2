//! Arguments may be any patterns, and are bound in the actor.
#![deny(warnings)]
use uproar::prelude::*;

struct Pair {
    a: u8,
    b: u8,
}
struct Point(u8, u8);

#[actor]
async fn adder(
    Pair { a, mut b }: Pair,
    (c, _): (u8, u8),
    Point(d, ..): Point,
    [e, rest @ ..]: [u8; 3],
    &f: &'static u8,
    whole @ Point(g, _): Point,
    _: String,
    mut h: u8,
) {
    b += 1;
    h += whole.1;
    let sum: u8 = rest.iter().sum();
    assert_eq!(a + b + c + d + e + f + g + h + sum, 56);
}

fn main() {
    let end = uproar::run(adder(
        Pair { a: 1, b: 1 },
        (3, 0),
        Point(4, 0),
        [5, 6, 7],
        &8,
        Point(9, 1),
        String::new(),
        10,
    ));
    assert_eq!(end, ExitReason::Normal);
}
