use uproar::prelude::*;

enum Command {
    Stop,
}
use Command::Stop;

#[actor]
async fn variant() {
    #[receive]
    match receive().await {
        Stop => {}
    }
}

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
    spawn(variant());
    spawn(without_arguments());
}
