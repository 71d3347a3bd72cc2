use uproar::prelude::*;

struct Add(u8);

#[actor]
async fn no_time() {
    #[receive]
    match receive().await {
        Add(_) => {}
        Timeout => {}
    }
}

#[actor]
async fn no_arm() {
    #[receive(timeout = Duration::ZERO)]
    match receive().await {
        Add(_) => {}
    }
}

#[actor]
async fn two_arms() {
    #[receive(timeout = Duration::ZERO)]
    match receive().await {
        Add(_) => {}
        Timeout => {}
        Timeout => {}
    }
}

#[actor]
async fn guarded() {
    #[receive(timeout = Duration::ZERO)]
    match receive().await {
        Add(_) => {}
        Timeout if true => {}
    }
}

#[actor]
async fn wrong_type() {
    #[receive(timeout = 5)]
    match receive().await {
        Add(_) => {}
        Timeout => {}
    }
}

#[actor]
async fn misspelt() {
    #[receive(timout = Duration::ZERO)]
    match receive().await {
        Add(_) => {}
        Timeout => {}
    }
}

fn main() {
    uproar::run(no_time());
    uproar::run(no_arm());
    uproar::run(two_arms());
    uproar::run(guarded());
    uproar::run(wrong_type());
    uproar::run(misspelt());
}
