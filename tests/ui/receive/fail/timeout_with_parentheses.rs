use uproar::prelude::*;

struct Add(u64);

#[actor]
async fn counter() {
    #[receive(timeout = Duration::from_secs(1))]
    match receive().await {
        Add(n) => println!("{n}"),
        Timeout(_) => {}
    }
}

fn main() {}
