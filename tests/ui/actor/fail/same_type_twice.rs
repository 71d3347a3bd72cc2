use uproar::prelude::*;

struct Add(u8);
type Alias = Add;

#[actor]
async fn by_alias() {
    #[receive]
    match receive().await {
        Add(1) => {}
        Typed::<Alias>(_) => {}
    }
}

#[actor]
async fn generic<T: Send + 'static>() {
    #[receive]
    match receive().await {
        Typed::<T>(_) => {}
        Add(_) => {}
    }
}

#[uproar::main]
async fn main() {
    spawn(by_alias());
    spawn(generic::<u8>());
}
