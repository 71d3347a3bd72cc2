use uproar::prelude::*;

struct Add(u8);
struct Sub {
    n: u8,
}
struct Stop;

#[actor]
async fn tuple() {
    #[receive]
    match receive().await {
        Ad(n) => drop(n),
    }
}

#[actor]
async fn fields() {
    #[receive]
    match receive().await {
        Subb { n } => drop(n),
    }
}

#[actor]
async fn unit() {
    #[receive]
    match receive().await {
        Stpo => {}
    }
}

#[uproar::main]
async fn main() {
    spawn(tuple()).send(Add(1));
    spawn(fields()).send(Sub { n: 1 });
    spawn(unit()).send(Stop);
}
