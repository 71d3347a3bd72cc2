use uproar::prelude::*;

#[actor]
async fn generic<T: 'static>() {
    #[receive]
    match receive().await {
        Typed::<T>(value) => drop(value),
    }
}

#[uproar::main]
async fn main() {
    spawn(generic::<u8>());
}
