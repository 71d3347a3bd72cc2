use uproar::prelude::*;

struct Add(u64);

#[actor]
async fn counter(mut total: u64) {
    loop {
        #[recieve]
        match receive().await {
            Add(n) => total += n,
        }
    }
}

#[receive]
async fn helper() -> u64 {
    #[receve(timeout = Duration::from_secs(1))]
    match receive().await {
        Add(n) => n,
        Timeout => 0,
    }
}

#[uproar::main]
async fn main() {
    spawn(counter(0)).send(Add(1));
    let _: u64 = helper().await;
}
