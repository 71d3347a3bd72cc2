use uproar::prelude::*;

mod m {
    pub struct Value<T>(pub T);
    pub enum Either<L, R> {
        Left(L),
        Right(R),
    }
}

#[actor]
async fn plain() {
    #[receive]
    match receive().await {
        m::Valu::<u8>(n) => println!("{n}"),
        m::Value::<Strng>(text) => drop(text),
        m::Ether::<u8, u8>::Left(n) => println!("{n}"),
    }
}

#[actor]
async fn generic<T: Send + 'static>() {
    #[receive]
    match receive().await {
        m::Valeu::<T>(value) => drop(value),
        m::Value::<Vec<Strnig>>(text) => drop(text),
    }
}

#[receive]
async fn in_a_function() {
    #[receive]
    match receive().await {
        m::Vlue::<u8>(n) => println!("{n}"),
        m::Either::<u8, u8>::Left(n) | m::Either::<u8, u8>::Right(n) => println!("{n}"),
    }
}

#[uproar::main]
async fn main() {
    spawn(plain()).send(m::Value(1_u8));
    spawn(generic::<u8>()).send(m::Value(1_u8));
    in_a_function().await;
}
