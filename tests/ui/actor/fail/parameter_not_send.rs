use uproar::prelude::*;

#[actor]
async fn generic<T: 'static>(value: T) {
    yield_now().await;
    drop(value);
}

#[uproar::main]
async fn main() {
    spawn(generic(1));
}
