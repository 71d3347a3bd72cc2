//! `#[receive]` on a struct of any shape: the type itself is receivable, and a protocol.
#![deny(warnings)]
use uproar::prelude::*;

#[receive]
#[derive(Debug, PartialEq)]
struct Plain(u8);

#[receive]
struct Fields {
    n: u8,
}

#[receive]
struct Unit;

#[receive]
struct Generic<T: Send + 'static, const N: usize = 1>([T; N]);

const fn receives<P: Receives<M>, M>() {}

#[actor]
async fn structs() {
    let me = self_address::<Anything>();
    me.send(Generic(["text"]));
    me.send(Plain(1));
    me.send(Fields { n: 2 });
    me.send(Unit);
    self_address::<Generic<u8>>().send(Generic([3u8]));
    let Generic::<u8>([generic]) = receive().await;
    let Unit = receive().await;
    let Fields { n } = receive().await;
    let Plain(plain) = receive().await;
    assert_eq!((generic, n, plain), (3, 2, 1));
    assert_eq!(try_receive::<Plain>(), None);
    let Generic::<&str>(["text"]) = receive().await else {
        panic!("it is the first");
    };
}

fn main() {
    receives::<Plain, Plain>();
    receives::<Generic<u8, 3>, Generic<u8, 3>>();
    assert_eq!(uproar::run(structs()), ExitReason::Normal);
}
