use uproar::prelude::*;

struct Broken;
struct Go;
struct Runner;

#[actor]
impl Runner {
    #[receive]
    async fn go(&mut self, _: Go) {}

    async fn on_start(&mut self) -> Result<(), Broken> {
        Err(Broken)
    }
}

fn main() {}
