use uproar::prelude::*;

mod mine {
    pub struct Down {
        pub floor: u8,
        pub stop: bool,
    }
}

#[actor]
async fn watcher() {
    #[receive]
    match receive().await {
        Down { pid, reason } => println!("{pid} {reason}"),
        Exit { from, reason } => println!("{from} {reason}"),
        mine::Down { floor } => println!("{floor}"),
    }
}

#[uproar::main]
async fn main() {
    spawn(watcher()).send(mine::Down { floor: 1, stop: true });
}
