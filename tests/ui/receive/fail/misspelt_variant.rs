use uproar::prelude::*;

enum Command {
    Stop,
}

#[actor]
async fn counter() {
    #[receive]
    match receive().await {
        Command::Stpo => {}
    }
}

#[uproar::main]
async fn main() {
    spawn(counter()).send(Command::Stop);
}
