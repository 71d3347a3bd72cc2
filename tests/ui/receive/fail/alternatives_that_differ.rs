use uproar::prelude::*;

struct Add(u8);
struct Sub(String);

#[actor]
async fn variables() {
    #[receive]
    match receive().await {
        Add(n) | Sub(m) => {}
    }
}

#[actor]
async fn kinds() {
    #[receive(timeout = Duration::ZERO)]
    match receive().await {
        Add(_) | _ => {}
        Add(_) | Timeout => {}
        Timeout => {}
    }
}

#[actor]
async fn types() {
    #[receive]
    match receive().await {
        Add(n) | Sub(n) => drop(n),
    }
}

fn main() {
    uproar::run(variables());
    uproar::run(kinds());
    uproar::run(types());
}
