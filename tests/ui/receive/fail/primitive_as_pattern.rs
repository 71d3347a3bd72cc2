use uproar::prelude::*;

#[actor]
async fn numbers() {
    #[receive]
    match receive().await {
        u64(n) => println!("{n}"),
    }
}

fn main() {}
