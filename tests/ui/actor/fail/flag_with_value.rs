use uproar::prelude::*;

#[actor(local = true)]
async fn at_home() {}

fn main() {}
