//! Names that clash with whatever a macro might use unqualified.
#![deny(warnings)]
#![allow(dead_code, clippy::too_many_arguments, clippy::wrong_self_convention)]
#![no_implicit_prelude]

use ::uproar::prelude::{Typed, actor, receive};

mod core {}
mod std {}
mod alloc {}
mod uproar {}
struct Result;
struct Option;
struct Vec;
struct Box;
struct Some(u8);
struct None;
struct Ok(u8);
struct Err;
struct Send;
struct Future;
struct Step;
struct Scan;
struct Slot;
struct Wants;
struct Arm(u8);
struct A0(u8);

trait Loud {
    fn send(&self) {}
    fn step(&self) {}
    fn wait(&self) {}
    fn take_if(&self) {}
    fn into_iter(&self) {}
    fn next(&self) {}
}
impl<T> Loud for T {}

#[actor]
async fn r#move(
    scan: u8,
    slot: u8,
    message: u8,
    arm: u8,
    items: u8,
    output: u8,
    argument0: u8,
    r#type: u8,
    _: u8,
) -> Result2 {
    let me = ::uproar::self_address::<Move>();
    me.send(Some(7));
    me.send(Arm(6));
    me.send(Some(1));
    me.send(Result);
    me.send(A0(2));
    me.send(3u8);
    me.send(Ok(4));
    let mut seen = ::std::vec::Vec::new();
    loop {
        #[receive]
        match receive().await {
            Some(scan2) if scan2 == scan && slot == message && arm == items => seen.push(1),
            Ok(message) => {
                seen.push(message);
                break;
            }
            None | Err => break,
            Arm(r#in) if r#in == output && argument0 == r#type => seen.push(9),
            Scan | Slot | Step | Wants => break,
            A0(r#fn) => seen.push(r#fn),
            Typed::<u8>(arm) => seen.push(arm),
            Typed::<Result>(Result) | Typed::<Option>(Option) => seen.push(0),
            _ => seen.push(5),
        }
        for items in [Some(1)] {
            let _ = items;
            ::uproar::yield_now().await;
        }
    }
    ::std::assert_eq!(seen, [5, 9, 1, 0, 2, 3, 4]);
    Result2::Ok(())
}

type Result2 = ::std::result::Result<(), ::std::string::String>;

#[actor(name = Protocol)]
async fn other() {}

fn main() {
    let _: ::uproar::ActorFn<Protocol, _> = other();
    ::std::assert_eq!(
        ::uproar::run(r#move(1, 2, 2, 4, 4, 6, 7, 7, 9)),
        ::uproar::ExitReason::Normal
    );
}
