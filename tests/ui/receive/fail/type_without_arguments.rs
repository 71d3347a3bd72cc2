use uproar::prelude::*;

struct Wrap<T>(T);

#[actor]
async fn without_arguments() {
    #[receive]
    match receive().await {
        Wrap(1) => {}
        Wrap(_) => {}
    }
}

#[uproar::main]
async fn main() {
    spawn(without_arguments());
}
