//! Names that clash with whatever a macro might use unqualified.
#![deny(warnings)]
#![allow(dead_code)]
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
struct Handles;
struct Receives;
struct Actor;
struct Next;
struct A0(u8);
struct A1;
struct ExitReason;

trait Loud {
    fn send(&self) {}
    fn take(&self) {}
    fn next(&self) {}
    fn reply(&self) {}
    fn into_end(&self) {}
    fn into_future(&self) {}
    fn into_send_future(&self) {}
    fn deposit(&self) {}
}
impl<T> Loud for T {}

struct State {
    next: u8,
    slot: u8,
}

#[actor]
impl State {
    #[receive]
    async fn next(&mut self, Some(message): Some) -> ::std::option::Option<u8> {
        self.next += message;
        ::std::option::Option::Some(self.next)
    }

    #[receive]
    async fn take(&mut self, Ok(slot): Ok) -> ::std::result::Result<u8, u8> {
        self.slot += slot;
        ::std::result::Result::Ok(self.slot)
    }

    #[receive]
    async fn reply(&mut self, reply: A0) -> A1 {
        let A0(_) = reply;
        A1
    }

    #[receive]
    fn r#move(&mut self, r#in: Result) -> Result {
        r#in
    }

    #[receive]
    async fn discard(&mut self, _: Next) -> u8 {
        #[receive]
        match receive().await {
            None | Err | Send | Future | Step => 1,
            Typed::<u8>(reason) => reason,
        }
    }

    async fn on_start(&mut self) -> ::std::result::Result<(), ::std::string::String> {
        let reason = self.next;
        self.next = reason + 1;
        ::std::result::Result::Ok(())
    }

    async fn on_stop(&mut self, reason: &::uproar::ExitReason) {
        let _ = reason;
    }
}

#[::uproar::main]
async fn main() {
    let state = ::uproar::spawn(State { next: 0, slot: 0 });
    ::std::assert_eq!(
        state.call(Some(1)).await,
        ::std::result::Result::Ok(::std::option::Option::Some(2))
    );
    ::std::assert_eq!(
        state.call(Ok(1)).await,
        ::std::result::Result::Ok(::std::result::Result::Ok(1))
    );
    state.send(7u8);
    ::std::assert_eq!(state.call(Next).await, ::std::result::Result::Ok(7));
    state.send(Result);
    let ::std::result::Result::Ok(A1) = state.call(A0(1)).await else {
        ::std::unreachable!()
    };
}
