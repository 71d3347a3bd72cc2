// One error for each place where the parameter is written, as in the plain function below.

use uproar::prelude::*;

struct Value<T>(T);

#[actor]
async fn once() {
    #[receive]
    match receive().await {
        Typed::<T>(value) => drop(value),
    }
}

#[actor]
async fn thrice(first: T, others: Vec<T>) {
    #[receive]
    match receive().await {
        Value::<T>(value) => drop((first, others, value)),
    }
}

fn plain(first: T, others: Vec<T>) {
    let value = Value::<T>(first);
    drop((others, value));
}

#[uproar::main]
async fn main() {
    spawn(once());
}
