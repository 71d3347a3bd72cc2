use uproar::prelude::*;

#[actor]
async fn watcher() {
    #[receive]
    match receive().await {
        Down { pidd, reason } => println!("{pidd} {reason}"),
    }
}

#[uproar::main]
async fn main() {
    spawn(watcher());
}
