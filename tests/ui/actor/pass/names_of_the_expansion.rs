//! Types, traits, variables and labels with the names that the expansion uses.
#![deny(warnings)]
#![allow(dead_code, non_upper_case_globals)]
use uproar::prelude::*;

struct Messages(u8);
struct Accepts(u8);
struct Receives;
struct ItsMessage;
struct Nothing;
struct If0(u8);
struct Anchor;
struct A0(u8);
struct Slot;
struct Scan;
struct Step;
struct Wants;
struct Output;
struct M;
struct T(u8);

trait Loud {
    fn step(&self) {}
    fn wait(&self) {}
    fn take_if(&self) {}
    fn into_iter(&self) {}
    fn next(&self) {}
    fn await_(&self) {}
}
impl<X> Loud for X {}

macro_rules! scan {
    () => {};
}

#[actor]
async fn clash(
    scan: u8,
    slot: u8,
    message: u8,
    arm: u8,
    items: u8,
    output: u8,
    argument0: u8,
    _: u8,
) {
    let (mixed0, round, id) = (1, 2, 3);
    let mut seen = Vec::new();
    scan!();
    for items in [items] {
        yield_now().await;
        seen.push(items);
    }
    'scan: loop {
        #[receive]
        match receive().await {
            Messages(message) if message == scan => seen.push(message),
            #[cfg(not(any()))]
            If0(arm) if arm == slot => seen.push(arm),
            Accepts(slot) if slot == message && arm == output => seen.push(slot),
            Messages(id) | If0(id) | Accepts(id) => seen.push(id),
            A0(round) => seen.push(round),
            T(mixed0) => seen.push(mixed0),
            Receives | ItsMessage | Nothing | Anchor | Slot | Scan | Step | Wants | Output | M => {
                break 'scan;
            }
        }
    }
    assert_eq!(seen, [5, 1, 2, 3, 9, 7, 8]);
    assert_eq!((argument0, mixed0, round, id), (6, 1, 2, 3));
}

/// Parameters of those names.
#[actor]
async fn parameters<Messages: Send + 'static, ItsMessage: Send + 'static, const If1: usize>() {
    self_address::<Parameters<Messages, ItsMessage, If1>>().send([(); If1]);
    #[receive]
    match receive().await {
        Typed::<Messages>(_) | Typed::<ItsMessage>(_) => {}
        #[cfg(not(any()))]
        Typed::<[(); If1]>(_) => {}
    }
}

#[uproar::main]
async fn main() {
    let clash: Address<Clash> = spawn(clash(1, 2, 3, 4, 5, 4, 6, 0));
    clash.send(Messages(1));
    clash.send(If0(2));
    clash.send(Accepts(3));
    clash.send(Messages(9));
    clash.send(A0(7));
    clash.send(T(8));
    clash.send(M);
    let parameters = spawn(parameters::<u8, u16, 3>());
    while clash.is_alive() || parameters.is_alive() {
        yield_now().await;
    }
}
