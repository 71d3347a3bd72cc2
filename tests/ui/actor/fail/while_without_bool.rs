use uproar::prelude::*;

#[actor]
async fn condition() {
    while 1 {
        std::future::ready(()).await;
    }
}

#[uproar::main]
async fn main() {
    spawn(condition());
}
