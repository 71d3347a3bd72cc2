use uproar::prelude::*;

#[actor]
async fn refutable() {
    for Some(n) in [Some(1), None] {
        std::future::ready(n).await;
    }
}

#[uproar::main]
async fn main() {
    spawn(refutable());
}
