use uproar::prelude::*;

enum Command {
    Go(u8),
    Stop,
}

#[actor]
async fn counter() {
    #[receive]
    match receive().await {
        Comand::Go(n) => println!("{n}"),
        Comand::Stop => {}
    }
}

#[uproar::main]
async fn main() {
    spawn(counter()).send(Command::Go(1));
    spawn(counter()).send(Command::Stop);
}
