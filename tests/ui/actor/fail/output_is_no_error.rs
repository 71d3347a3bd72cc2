use uproar::prelude::*;

struct Broken;

#[actor]
async fn fails() -> Result<(), Broken> {
    Err(Broken)
}

#[uproar::main]
async fn main() {
    spawn(fails());
}
