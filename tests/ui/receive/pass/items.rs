//! `#[receive]` on enums, structs and functions, and what `#[cfg]` leaves of them.
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
    #[cfg(any())]
    Missing(Missing),
    Add(Add),
    Renamed(Sub),
    Text(Typed<&'static str>),
    Number(u8),
    #[cfg(any())]
    Any(Envelope),
}

#[receive]
enum Whatever {
    Add(Add),
    Other(Envelope),
}

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
struct Generic<T: Send + 'static>(T);

#[receive]
enum Either<A: Send + 'static, B>
where
    B: Send + 'static,
{
    Left(Generic<A>),
    Right(Typed<(u8, B)>),
}

const fn receives<P: uproar::Receives<M>, M>() {}

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
}

#[actor]
async fn structs() {
    let me = self_address::<Anything>();
    me.send(Generic("text"));
    me.send(Plain(1));
    me.send(Fields { n: 2 });
    me.send(Unit);
    me.send(Generic(3u8));
    me.send((4u8, 'x'));
    let Generic::<u8>(generic) = receive().await;
    let Unit = receive().await;
    let Fields { n } = receive().await;
    let Plain(plain) = receive().await;
    assert_eq!((generic, n, plain), (3, 2, 1));
    assert_eq!(try_receive::<Plain>(), None);
    let either: Either<&str, char> = receive().await;
    assert!(matches!(either, Either::Left(Generic("text"))));
    let either: Either<&str, char> = receive().await;
    assert!(matches!(either, Either::Right(Typed((4, 'x')))));
}

struct Receiver<'a, T> {
    text: &'a str,
    seen: Vec<T>,
}

impl<T: Clone + PartialEq + Send + 'static> Receiver<'_, T> {
    /// A method that borrows, and is generic.
    #[receive]
    async fn next<const N: usize>(&mut self, limit: &T) -> Result<usize, String> {
        for _ in 0..N {
            #[receive]
            match receive().await {
                Typed::<T>(value) if value == *limit => return Ok(self.seen.len()),
                Typed::<T>(value) => self.seen.push(value),
                Add(n) => return Err(format!("{}{n}", self.text)),
            }
        }
        Ok(N)
    }
}

trait Next {
    async fn next(&self) -> u64;
}

impl Next for Add {
    #[receive]
    async fn next(&self) -> u64 {
        #[receive(timeout = Duration::ZERO)]
        match receive().await {
            Self(n) if n == self.0 => n,
            Self(mut n) => {
                n += 1;
                n
            }
            Timeout => 0,
        }
    }
}

#[actor]
async fn functions() -> Result<(), String> {
    let me = self_address::<Anything>();
    let text = String::from("add ");
    let mut receiver = Receiver {
        text: &text,
        seen: Vec::<u8>::new(),
    };
    for n in [1u8, 2, 3] {
        me.send(n);
    }
    me.send(Add(7));
    assert_eq!(receiver.next::<9>(&3).await?, 2);
    assert_eq!(receiver.next::<9>(&3).await, Err("add 7".into()));
    assert_eq!(receiver.next::<0>(&3).await?, 0);
    assert_eq!(receiver.seen, [1, 2]);
    me.send(Add(3));
    me.send(Add(4));
    assert_eq!(Next::next(&Add(4)).await, 4);
    assert_eq!(Add(4).next().await, 4);
    assert_eq!(Add(4).next().await, 0);
    Ok(())
}

#[actor]
#[cfg(not(any()))]
#[must_use]
async fn conditional(#[cfg(any())] missing: Missing, #[cfg(not(any()))] mut total: u64) {
    self_address::<Anything>().send(Add(1));
    self_address::<Anything>().send(Add(0));
    for _ in 0..2 {
        #[cfg(any())]
        #[receive]
        match receive().await {
            Missing2(n) => total += n,
        }
        #[receive]
        match receive().await {
            #[cfg(any())]
            Missing(n) => total += n,
            #[cfg(not(any()))]
            Add(0) => total *= 2,
            #[allow(unused_variables)]
            Add(n) if total > 10 => {}
            Add(n) => total += n,
            #[cfg(any())]
            _ => {}
        }
        #[cfg(any())]
        {
            #[receive]
            match receive().await {
                Missing3(n) => total += n,
            }
        }
    }
    assert_eq!(total, 4);
}

#[actor]
#[cfg(any())]
async fn absent() {
    #[receive]
    match receive().await {
        Missing(_) => {}
    }
}

fn main() {
    receives::<Wanted, Add>();
    receives::<Wanted, &str>();
    receives::<Plain, Plain>();
    receives::<Either<u8, u16>, (u8, u16)>();
    receives::<Conditional, Add>();
    assert_eq!(uproar::run(enums()), ExitReason::Normal);
    assert_eq!(uproar::run(structs()), ExitReason::Normal);
    assert_eq!(uproar::run(functions()), ExitReason::Normal);
    assert_eq!(uproar::run(conditional(1)), ExitReason::Normal);
}
