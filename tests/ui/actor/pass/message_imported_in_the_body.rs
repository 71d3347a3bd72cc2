//! Messages that the body imports, by name, under another name, or by a glob, also in a nested block.
#![deny(warnings)]
use uproar::prelude::*;

mod m {
    pub struct Add(pub u8);
    pub struct Sub {
        pub n: u8,
    }
    pub mod deep {
        pub struct Mul(pub u8);
        pub enum Command {
            Stop,
        }
    }
}

/// Not the one that the body means.
#[allow(dead_code)]
struct Add(u8);

#[actor]
async fn counter(mut n: u8) {
    use m::Add;
    loop {
        #[receive]
        match receive().await {
            Add(by) => n += by,
            m::Sub { n: by } => n -= by,
        }
        {
            use m::deep::{self, Mul as Times};
            #[receive]
            match receive().await {
                Times(by) => n *= by,
                deep::Command::Stop => break,
            }
        }
    }
    assert_eq!(n, 14);
}

#[actor]
async fn globs<T: Send + 'static>() {
    use m::deep::*;
    #[receive]
    match receive().await {
        Command::Stop => {}
        Mul(_) | Typed::<Vec<T>>(_) => unreachable!(),
    }
}

#[uproar::main]
async fn main() {
    let counter: Address<Counter> = spawn(counter(5));
    counter.send(m::Add(4));
    counter.send(m::deep::Mul(2));
    counter.send(m::Sub { n: 4 });
    counter.send(m::deep::Command::Stop);
    let globs = spawn(globs::<u8>());
    globs.send(m::deep::Command::Stop);
    while counter.is_alive() || globs.is_alive() {
        yield_now().await;
    }
}
