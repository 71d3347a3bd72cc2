//! What a pattern's path may look like, and what stands in its parentheses.

#![deny(warnings)]
#![allow(dead_code)]

use std::fmt::Debug;
use uproar::prelude::*;

mod m {
    pub struct Unit;
    pub struct UnitOf<const N: usize>;
    pub struct Empty();
    pub struct Pair(pub u8, pub u8);
    pub struct Value<T>(pub T);
    pub struct Array<const N: usize>(pub [u8; N], pub u8);
    pub struct Named<T> {
        pub value: T,
    }
    pub enum Choice<T> {
        Both(T, u8),
        None,
        Named { value: u8 },
    }
    pub mod inner {
        pub struct Deep(pub u8, pub u8, pub u8);
    }
}

const SIZE: usize = 3;

struct Three(u8, u8, u8);
struct Of<T>(T, u8);

#[actor]
async fn plain(report: Address<Anything>) {
    for _ in 0..14 {
        let seen = #[receive]
        match receive().await {
            m::Unit => 1,
            m::UnitOf::<3> => 2,
            m::Empty() => 3,
            m::Pair(1, _) => 4,
            m::Pair(.., last) => last,
            m::Value::<u8>(value) => value,
            m::Value::<u16>(..) => 5,
            m::Array::<SIZE>(_, last) => last,
            m::Array::<4>(.., last) => last,
            m::Named::<u8> { value } => value,
            m::Choice::<u8>::Both(.., last) => last,
            m::Choice::<u8>::None => 6,
            m::Choice::<u8>::Named { value } => value,
            whole @ (m::inner::Deep(.., 2) | m::inner::Deep(.., 3)) => whole.0 + whole.1,
            Three(.., last) | Of::<u8>(.., last) => last,
            #[cfg(not(all()))]
            m::Missing(.., last) => last,
        };
        report.send(seen);
    }
}

#[actor]
async fn generic<T: Debug + Send + 'static, const N: usize>() {
    #[receive]
    match receive().await {
        m::Value::<T>(value) => drop(format!("{value:?}")),
        m::Array::<N>(.., last) => drop(format!("{last}")),
        m::Named::<T> { value } => drop(format!("{value:?}")),
        m::Named::<[T; N]> { value } => drop(format!("{value:?}")),
        m::Choice::<T>::Both(.., last) => drop(format!("{last}")),
        m::Choice::<T>::None => {}
        m::UnitOf::<N> => {}
        Of::<u8>(.., last) => drop(format!("{last}")),
        Typed::<Vec<T>>(_) => {}
    }
}

struct Holder<T>(T);

impl<T: Send + 'static> Holder<T> {
    #[receive]
    async fn value() -> T {
        #[receive]
        match receive().await {
            m::Value::<T>(value) => value,
            m::Choice::<T>::Both(value, ..) => value,
            Of::<T>(value, ..) => value,
        }
    }
}

#[actor]
impl<T: Send + 'static> Holder<T> {
    #[receive]
    async fn value_of(&mut self, m::Value(value): m::Value<T>) {
        self.0 = value;
        #[receive]
        match receive().await {
            m::Choice::<T>::Both(value, ..) => self.0 = value,
            m::Pair(.., last) => drop(format!("{last}")),
        }
    }
}

async fn in_a_body(report: Address<Anything>) {
    struct Local(u8, u8);
    struct LocalOf<T>(T, u8);

    #[actor]
    async fn nested(report: Address<Anything>) {
        struct Own(u8, u8);
        self_address::<Anything>().send(Own(1, 2));
        for _ in 0..3 {
            let seen = #[receive]
            match receive().await {
                Local(.., last) => last,
                LocalOf::<u8>(.., last) => last,
                Own(.., last) => last,
            };
            report.send(seen);
        }
        {
            use m::inner::*;
            #[receive]
            match receive().await {
                Deep(.., last) => report.send(last),
            }
        }
    }

    let nested = spawn(nested(report));
    nested.send(Local(1, 3));
    nested.send(LocalOf(1_u8, 4));
    nested.send(m::inner::Deep(1, 2, 5));
}

#[uproar::main]
async fn main() {
    let me = self_address::<Anything>();
    let plain = spawn(plain(me.clone()));
    plain.send(m::Unit);
    plain.send(m::UnitOf::<3>);
    plain.send(m::Empty());
    plain.send(m::Pair(1, 0));
    plain.send(m::Pair(0, 10));
    plain.send(m::Value(11_u8));
    plain.send(m::Value(0_u16));
    plain.send(m::Array([0; 3], 12));
    plain.send(m::Array([0; 4], 13));
    plain.send(m::Named { value: 14_u8 });
    plain.send(m::Choice::Both(0_u8, 15));
    plain.send(m::Choice::<u8>::None);
    plain.send(m::Choice::<u8>::Named { value: 16 });
    plain.send(Three(0, 0, 17));
    for expected in [1, 2, 3, 4, 10, 11, 5, 12, 13, 14, 15, 6, 16, 17] {
        let Typed::<u8>(seen) = receive().await;
        assert_eq!(seen, expected);
    }

    spawn(generic::<u8, 3>()).send(m::Array([0; 3], 1));
    let holder = spawn(Holder(1_u8));
    holder.send(m::Value(2_u8));
    holder.send(m::Pair(1, 2));

    me.send(Of(7_u8, 0));
    assert_eq!(Holder::<u8>::value().await, 7);

    in_a_body(me).await;
    let mut seen = Vec::new();
    while seen.len() < 4 {
        let Typed::<u8>(last) = receive().await;
        seen.push(last);
    }
    seen.sort_unstable();
    assert_eq!(seen, [2, 3, 4, 5]);
}
