use uproar::prelude::*;

struct Add(u8);

#[actor]
async fn counter() {
    let shared = std::rc::Rc::new(1);
    #[receive]
    match receive().await {
        Add(n) => drop(n + *shared),
    }
}

#[uproar::main]
async fn main() {
    spawn(counter());
}
