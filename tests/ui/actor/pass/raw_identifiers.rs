//! Raw identifiers as names of everything.
#![deny(warnings)]
use uproar::prelude::*;

mod r#mod {
    #[allow(non_camel_case_types)]
    pub struct r#type {
        pub r#fn: u8,
    }
    pub struct Raw(pub u8);
}
use r#mod::Raw;

#[actor]
async fn r#move(r#in: u8, (r#for, mut r#while): (u8, u8)) -> Result<(), String> {
    'r#loop: loop {
        #[receive]
        match receive().await {
            Typed::<r#mod::r#type>(r#mod::r#type { r#fn }) => r#while += r#fn,
            Raw(r#match) if r#match == r#in => break 'r#loop,
            r#mod::Raw(_) => return Err("raw".into()),
        }
    }
    assert_eq!(r#for + r#while, 9);
    Ok(())
}

#[actor]
async fn main_actor() {
    let r#move: Address<Move> = spawn(r#move(1, (2, 3)));
    r#move.send(r#mod::r#type { r#fn: 4 });
    r#move.send(Raw(1));
    while r#move.is_alive() {
        yield_now().await;
    }
}

fn main() {
    assert_eq!(uproar::run(main_actor()), ExitReason::Normal);
}
