//! A generic actor receives its `T` beside other messages, also where `T` is one of them. Arms keep their order.
#![deny(warnings)]
use uproar::prelude::*;

#[derive(Clone, Copy)]
struct Stop;

#[actor]
async fn relay<T: Send + 'static>(to: Recipient<&'static str>) {
    loop {
        #[receive]
        match receive().await {
            Typed::<u8>(0) => to.send("zero"),
            Typed::<T>(_) => to.send("value"),
            Typed::<u8>(_) => to.send("number"),
            Stop => break to.send("stop"),
        }
    }
}

#[uproar::main]
async fn main() {
    let me = self_address::<Anything>().recipient();
    let next = || async {
        let Typed(text) = receive::<Typed<&'static str>>().await;
        text
    };
    let texts = spawn(relay::<String>(me.clone()));
    texts.send(1u8);
    assert_eq!(next().await, "number");
    texts.send(String::new());
    assert_eq!(next().await, "value");
    texts.send(Stop);
    assert_eq!(next().await, "stop");
    let numbers = spawn(relay::<u8>(me.clone()));
    numbers.send(0u8);
    assert_eq!(next().await, "zero");
    numbers.send(1u8);
    assert_eq!(next().await, "value");
    let stops = spawn(relay::<Stop>(me));
    stops.send(Stop);
    assert_eq!(next().await, "value");
}
