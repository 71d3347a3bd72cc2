//! An actor that a `macro_rules!` macro writes, with fragments of all kinds.
#![deny(warnings)]
use uproar::prelude::*;

struct Tick;
struct Pair {
    a: u8,
}
struct Get(ReplyTo<u32>);

macro_rules! adder {
    ($vis:vis $name:ident, $ty:ty, $pattern:pat, $path:path, $guard:expr, $body:expr) => {
        #[actor]
        $vis async fn $name(mut sum: u64) {
            let least = 1;
            loop {
                #[receive]
                match receive().await {
                    Pair { a } if a > least && $guard => sum += 10,
                    Typed::<$ty>(n) => sum += u64::from(n),
                    $path(reply_to) => {
                        reply_to.send(sum as u32);
                        $body
                    }
                    $pattern => sum += 100,
                }
            }
        }
    };
}
adder!(pub(crate) adder, u16, Tick, Get, true, break);

#[uproar::main]
async fn main() {
    let adder: Address<Adder> = spawn(adder(1000));
    adder.send(Tick);
    adder.send(Pair { a: 2 });
    adder.send(7u16);
    assert_eq!(adder.ask(Get).await, Ok(1117));
}
