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

#[uproar::main]
async fn main() {
    spawn(variant());
}
