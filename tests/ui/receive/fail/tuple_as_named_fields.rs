use uproar::prelude::*;

struct Move(u8, u8);

enum Command {
    Say(String),
}

#[actor]
async fn robot() {
    #[receive]
    match receive().await {
        Move { x, y } => println!("{x}{y}"),
        Command::Say { text } => println!("{text}"),
    }
}

#[uproar::main]
async fn main() {
    spawn(robot()).send(Move(1, 2));
    spawn(robot()).send(Command::Say(String::new()));
}
