use uproar::prelude::*;

struct Add(u8);

#[actor]
async fn counter() {
    #[receive]
    match receive() {
        Add(_) => {}
    }
    #[receive]
    match receive::<Add>().await {
        Add(_) => {}
    }
    #[receive]
    match receive().await {}
    #[receive]
    let n = match receive().await {
        Add(n) => n,
    };
    #[receive]
    loop {}
    #[receive]
    if true {}
    println!(
        "{}",
        #[receive]
        match receive().await {
            Add(n) => n,
        }
    );
}

fn main() {
    uproar::run(counter());
}
