use uproar::prelude::*;

#[actor]
async fn watcher() {
    #[receive]
    match receive().await {
        Down(pid, reason) => println!("{pid} {reason}"),
        String(text) => println!("{text}"),
    }
}

fn main() {}
