use uproar::prelude::*;

#[actor]
async fn generic<T: Send>(value: T) {
    drop(value);
}

#[uproar::main]
async fn main() {
    spawn(generic(1));
}
