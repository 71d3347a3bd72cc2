#[uproar::test(simulate, seeds = 3)]
async fn two_ways() {}

#[uproar::test(seeds)]
async fn without_number() {}

#[uproar::test(threads = 2)]
async fn unknown() {}

fn main() {}
