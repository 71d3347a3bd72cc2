use uproar::prelude::*;

#[receive]
enum Wanted<T> {
    Value(Typed<T>),
}

#[receive]
struct Value<T: Clone>(T);

#[uproar::main]
async fn main() {
    let Wanted::<u8>::Value(_) = receive().await;
    let Value::<u8>(_) = receive().await;
}
