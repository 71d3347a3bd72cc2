use uproar::prelude::*;

trait Runs {
    #[actor]
    async fn run();
}

fn main() {}
