use uproar::prelude::*;

#[actor]
async fn refutable() {
    for Some(n) in [Some(1), None] {
        std::future::ready(n).await;
    }
}

#[actor]
async fn no_iterator() {
    for n in 5 {
        std::future::ready(n).await;
    }
}

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

#[actor]
async fn condition() {
    while 1 {
        std::future::ready(()).await;
    }
}

#[uproar::main]
async fn main() {
    spawn(refutable());
    spawn(no_iterator());
    spawn(value());
    spawn(condition());
}
