//! A type by two paths, an alias and `Typed`: it is one type, and its arms are tried from top to bottom.
#![deny(warnings)]
use uproar::prelude::*;

mod m {
    pub struct Add(pub u8);
    pub struct Stop;
}
use m::{Add, Stop};
type Alias = Add;

#[actor]
async fn counter(done: Recipient<Vec<&'static str>>) {
    let mut seen = Vec::new();
    let mut guarded = 0;
    loop {
        #[receive]
        match receive().await {
            Add(0) => seen.push("first"),
            m::Add(1) => seen.push("second"),
            Typed::<Alias>(Add(2)) => seen.push("third"),
            Add(1..=3) => seen.push("fourth"),
            Stop => break,
            m::Add(n)
                if {
                    guarded += 1;
                    n == 4
                } =>
            {
                seen.push("fifth")
            }
            Typed::<Alias>(Add(4 | 5)) => seen.push("sixth"),
            Add(_) => seen.push("seventh"),
            self::m::Stop => unreachable!(),
        }
    }
    assert!(guarded >= 3);
    done.send(seen);
}

#[uproar::main]
async fn main() {
    let counter = spawn(counter(self_address::<Anything>().recipient()));
    for n in 0..=6 {
        counter.send(Add(n));
    }
    counter.send(Stop);
    let Typed(seen) = receive::<Typed<Vec<&str>>>().await;
    assert_eq!(
        seen,
        [
            "first", "second", "third", "fourth", "fifth", "sixth", "seventh"
        ]
    );
}
