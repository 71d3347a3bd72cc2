use uproar::prelude::*;

struct Add(u8);

#[receive]
fn not_async() {
    #[receive]
    match receive().await {
        Add(_) => {}
    }
}

fn main() {
    not_async();
    drop(Add(1));
}
