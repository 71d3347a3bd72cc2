#[uproar::main]
async fn main();
