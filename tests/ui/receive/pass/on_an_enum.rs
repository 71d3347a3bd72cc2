//! `#[receive]` on an enum: one message type per variant; it may be generic.
#![deny(warnings)]
use uproar::prelude::*;

#[derive(Debug, PartialEq)]
struct Add(u64);
#[derive(Debug, PartialEq)]
struct Sub {
    n: u64,
}

#[receive]
#[derive(Debug, PartialEq)]
enum Wanted {
    Add(Add),
    Renamed(Sub),
    Text(Typed<&'static str>),
    Number(u8),
}

#[receive]
enum Whatever {
    Add(Add),
    Other(Envelope),
}

/// Its parameters may be one type.
#[receive]
#[derive(Debug, PartialEq)]
enum Either<A: Send + 'static, B = u8>
where
    B: Send + 'static,
{
    Left(Typed<A>),
    Right(Typed<B>),
    Pair(Typed<(u8, B)>),
}

const fn receives<P: Receives<M>, M>() {}

#[actor]
async fn enums() {
    let me = self_address::<Anything>();
    me.send(1u16);
    me.send("text");
    me.send(Sub { n: 1 });
    me.send(Add(2));
    me.send(3u8);
    let first: Wanted = receive().await;
    assert_eq!(first, Wanted::Text(Typed("text")));
    assert_eq!(receive::<Wanted>().await, Wanted::Renamed(Sub { n: 1 }));
    let Ok(Wanted::Add(Add(2))) = receive::<Wanted>().timeout(Duration::from_secs(60)).await else {
        panic!("`Add` is the next");
    };
    assert_eq!(try_receive(), Some(Wanted::Number(3)));
    assert_eq!(try_receive::<Wanted>(), None);
    assert_eq!(
        receive::<Wanted>().timeout(Duration::ZERO).await,
        Err(Timeout)
    );
    me.send(Add(4));
    for _ in 0..2 {
        match receive().await {
            Whatever::Add(Add(n)) => assert_eq!(n, 4),
            Whatever::Other(other) => assert!(other.is::<u16>()),
        }
    }
    me.send((4u8, 'x'));
    me.send('y');
    let either: Either<&str, char> = receive().await;
    assert_eq!(either, Either::Pair(Typed((4, 'x'))));
    assert_eq!(
        receive::<Either<&str, char>>().await,
        Either::Right(Typed('y'))
    );
    self_address::<Either<u8>>().send(5u8);
    assert_eq!(receive::<Either<u8>>().await, Either::Left(Typed(5)));
}

fn main() {
    receives::<Wanted, Add>();
    receives::<Wanted, &str>();
    receives::<Either<u8, u16>, (u8, u16)>();
    assert_eq!(uproar::run(enums()), ExitReason::Normal);
}
