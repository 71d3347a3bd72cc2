use uproar::prelude::*;

#[actor]
async fn returned() -> Result<(), String> {
    return 7;
}

#[uproar::main]
async fn main() {
    spawn(returned());
}
