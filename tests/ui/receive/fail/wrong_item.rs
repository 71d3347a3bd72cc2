use uproar::prelude::*;

struct Add(u8);

#[receive]
fn not_async() {
    #[receive]
    match receive().await {
        Add(_) => {}
    }
}

#[receive]
union Union {
    a: u8,
}

#[receive(timeout = Duration::ZERO)]
async fn misplaced() {}

fn main() {
    not_async();
    let _ = (misplaced(), Union { a: 1 });
}
