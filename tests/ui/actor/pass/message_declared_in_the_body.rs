//! Messages that the body declares; nobody outside can send them.
#![deny(warnings)]
use uproar::prelude::*;

#[actor]
pub async fn counter() {
    struct Tick(u8);
    type Alias = u64;

    fn ticks(to: Address<Counter>) {
        to.send(Tick(1));
        to.send(Tick(2));
        to.send(3u64);
    }
    ticks(self_address::<Counter>());
    let mut seen = Vec::new();
    for _ in 0..3 {
        #[receive]
        match receive().await {
            Tick(n) => seen.push(n),
            Typed::<Alias>(n) => seen.push(n as u8),
        }
    }
    assert_eq!(seen, [1, 2, 3]);
}

fn main() {
    assert_eq!(uproar::run(counter()), ExitReason::Normal);
}
