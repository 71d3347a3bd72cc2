//! The library behind another path, and its macros named through modules.
#![deny(warnings)]

pub mod facade {
    pub use uproar as loud;
}

use facade::loud::prelude::*;

struct Add(u8);

#[actor(crate = crate::facade::loud)]
async fn counter(done: Address<Anything>) {
    #[receive(timeout = Duration::from_secs(60))]
    match receive().await {
        Add(n) => done.send(n),
        crate::facade::loud::Timeout => {}
    }
}

#[receive(crate = facade::loud)]
enum Wanted {
    Add(Add),
}

#[receive(crate = facade::loud)]
async fn helper() -> u8 {
    #[receive]
    match receive().await {
        Typed::<u8>(n) => n,
    }
}

/// Imports by name count as used.
mod imports {
    use uproar::{Timeout, Typed, actor, receive};

    #[actor]
    pub async fn by_name() {
        #[receive(timeout = std::time::Duration::ZERO)]
        match receive().await {
            Typed::<u8>(n) => println!("{n}"),
            Timeout => {}
        }
    }
}

mod no_imports {
    #[uproar::actor]
    pub async fn by_path() {
        uproar::self_address::<ByPath>().send(1u8);
        #[uproar::receive(timeout = std::time::Duration::from_secs(60))]
        match uproar::receive().await {
            uproar::Typed::<u8>(n) => assert_eq!(n, 1),
            ::uproar::Timeout => unreachable!(),
        }
    }
}

#[facade::loud::main(crate = facade::loud, workers = 2)]
async fn main() {
    let me = self_address::<Anything>();
    spawn(imports::by_name());
    spawn(no_imports::by_path());
    spawn(counter(me.clone())).send(Add(1));
    assert_eq!(helper().await, 1);
    me.send(Add(2));
    let Wanted::Add(Add(n)) = receive().await;
    assert_eq!(n, 2);
}
