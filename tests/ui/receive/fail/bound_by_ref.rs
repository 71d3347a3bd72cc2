use uproar::prelude::*;

struct Add(u8);
struct Sub(String);

#[actor]
async fn counter() {
    #[receive]
    match receive().await {
        Add(ref n) => println!("{n}"),
        Sub(ref mut n) => println!("{n}"),
    }
}

fn main() {
    uproar::run(counter());
}
