use uproar::prelude::*;

#[actor(name = "Silent")]
async fn named() {}

#[actor(protocol = "Anything")]
async fn with_protocol() {}

#[actor(receives("String"))]
async fn receives() {}

fn main() {}
