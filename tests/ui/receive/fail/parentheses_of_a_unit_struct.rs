//! `Stop()` where `Stop` has no fields, and no parentheses either: the compiler's own words, with
//! the user's name.

use uproar::prelude::*;

struct Stop;
struct Pair(u32, u32);

#[actor]
async fn actor() {
    #[receive]
    match receive().await {
        Pair(.., last) => drop(last),
        Stop() => {}
    }
}

#[uproar::main]
async fn main() {
    let actor = spawn(actor());
    actor.send(Pair(1, 2));
    actor.send(Stop);
    let _: u32 = "what comes after is still checked";
}
