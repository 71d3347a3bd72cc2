//! Messages that contain themselves, or the address of the actor that receives them.
#![deny(warnings)]
use uproar::prelude::*;

enum List {
    Nil,
    Cons(u8, Box<List>),
}
struct Introduce(Address<Reader>, ReplyTo<Address<Reader>>);
struct Nested<T>(Vec<Nested<T>>, T);

#[actor]
async fn reader(done: Recipient<u8>) {
    let mut sum = 0;
    loop {
        #[receive]
        match receive().await {
            List::Nil => sum += 100,
            List::Cons(n, tail) if matches!(*tail, List::Nil) => sum += n,
            List::Cons(n, tail) => {
                sum += n;
                self_address::<Reader>().send(*tail);
            }
            Introduce(other, reply_to) => reply_to.send(other),
            Typed::<Nested<u8>>(Nested(inner, n)) => break done.send(sum + n + inner[0].1),
        }
    }
}

#[uproar::main]
async fn main() {
    let reader = spawn(reader(self_address::<Anything>().recipient()));
    let nil = || Box::new(List::Nil);
    reader.send(List::Cons(1, Box::new(List::Cons(2, nil()))));
    let same = reader
        .ask(|reply_to| Introduce(reader.clone(), reply_to))
        .await;
    assert_eq!(same, Ok(reader.clone()));
    reader.send(Nested(vec![Nested(vec![], 3)], 4));
    assert_eq!(receive::<Typed<u8>>().await, Typed(10));
}
