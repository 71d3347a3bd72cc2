use uproar::prelude::*;

#[receive(timeout = Duration::ZERO)]
async fn misplaced() {}

fn main() {
    let _ = misplaced();
}
