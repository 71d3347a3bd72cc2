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

#[uproar::main]
async fn main() {
    spawn(variables());
}
