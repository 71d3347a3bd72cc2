use uproar::prelude::*;

struct Add(u64);

#[actor]
async fn counter() {
    #[receive]
    match receive().timeout(Duration::from_secs(1)).await {
        Add(n) => println!("{n}"),
        Timeout => {}
    }
}

fn main() {}
