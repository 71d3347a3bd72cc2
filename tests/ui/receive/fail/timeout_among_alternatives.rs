use uproar::prelude::*;

struct Stop;

#[actor]
async fn counter() {
    #[receive(timeout = Duration::from_secs(1))]
    match receive().await {
        Stop | Timeout => {}
    }
}

fn main() {}
