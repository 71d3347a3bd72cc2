use uproar::prelude::*;

#[actor]
async fn no_iterator() {
    for n in 5 {
        std::future::ready(n).await;
    }
}

#[uproar::main]
async fn main() {
    spawn(no_iterator());
}
