use uproar::prelude::*;

#[actor]
async fn value() {
    for n in [1] {
        std::future::ready(()).await;
        n
    }
    while true {
        std::future::ready(()).await;
        1
    }
}

#[uproar::main]
async fn main() {
    spawn(value());
}
