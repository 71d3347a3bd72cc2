use uproar::prelude::*;

struct Add(u8);
struct Sub(String);

#[actor]
async fn counter() {
    #[receive]
    match receive().await {
        Add(ref n) => drop(n),
        Sub(ref mut n) => drop(n),
    }
}

fn main() {
    uproar::run(counter());
}
