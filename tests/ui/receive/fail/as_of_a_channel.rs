use uproar::prelude::*;

struct Add(u64);

#[actor]
async fn some() {
    #[receive]
    match receive().await {
        Some(Add(n)) => println!("{n}"),
        None => {}
    }
}

#[actor]
async fn ok() {
    #[receive(timeout = Duration::from_secs(1))]
    match receive().await {
        Ok(Add(n)) => println!("{n}"),
        Err(Timeout) => {}
    }
}

fn main() {}
