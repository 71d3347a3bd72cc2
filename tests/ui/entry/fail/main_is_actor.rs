use uproar::prelude::*;

#[uproar::main]
#[actor]
async fn main() {
    yield_now().await;
}
