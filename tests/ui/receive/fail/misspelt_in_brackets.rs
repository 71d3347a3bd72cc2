use uproar::prelude::*;

#[actor]
async fn counter() {
    #[receive]
    match receive().await {
        Typed::<Vec<Strng>>(texts) => drop(texts),
    }
}

#[actor]
async fn generic<T: Send + 'static>() {
    #[receive]
    match receive().await {
        Typed::<Vec<Strnig>>(texts) => drop(texts),
        Typed::<T>(value) => drop(value),
    }
}

#[uproar::main]
async fn main() {
    spawn(counter()).send(vec![String::new()]);
    spawn(generic::<u8>()).send(vec![String::new()]);
    #[receive]
    match receive().await {
        Typed::<Option<Stirng>>(text) => drop(text),
    }
}
