use uproar::prelude::*;

struct Add(u8);

#[receive]
enum Wanted<T: Send + 'static> {
    Value(T),
    Add(Ad),
    Text(Typed<Strng>),
    Texts(Vec<Strnig>),
}

#[uproar::main]
async fn main() {
    drop(Add(1));
    let _: Wanted<u8> = receive().await;
}
