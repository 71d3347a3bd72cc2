//! Generic over types, with bounds of all kinds; the protocol has the same parameters.
#![deny(warnings)]
use std::fmt::Display;
use std::marker::PhantomData;

use uproar::prelude::*;

struct Show(ReplyTo<String>);

#[actor]
async fn holder<T: Display + Send + 'static, U>(first: T, _: PhantomData<U>)
where
    U: From<T> + Display + Send + 'static,
{
    let mut last = U::from(first);
    loop {
        #[receive]
        match receive().await {
            Typed::<T>(value) => last = U::from(value),
            Typed::<Vec<U>>(values) => last = values.into_iter().last().unwrap_or(last),
            Show(reply_to) => reply_to.send(last.to_string()),
        }
    }
}

#[actor]
async fn unsized_type<T: ?Sized + Send + 'static>(_: PhantomData<fn() -> Box<T>>) {
    #[receive(timeout = Duration::ZERO)]
    match receive().await {
        Typed::<Box<T>>(_) => {}
        Timeout => {}
    }
}

#[uproar::main]
async fn main() {
    let holder: Address<Holder<u8, u64>> = spawn(holder(1u8, PhantomData));
    holder.send(2u8);
    assert_eq!(holder.ask(Show).await.as_deref(), Ok("2"));
    holder.send(vec![3u64, 4]);
    assert_eq!(holder.ask(Show).await.as_deref(), Ok("4"));
    let _: Address<UnsizedType<str>> = spawn(unsized_type::<str>(PhantomData));
}
