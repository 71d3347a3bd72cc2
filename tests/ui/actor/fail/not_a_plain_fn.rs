use uproar::prelude::*;

#[actor]
const async unsafe extern "C" fn counter() {}

#[uproar::main]
async fn main() {
    spawn(counter());
}
