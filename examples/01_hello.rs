//! An actor is an async fn. Its messages are plain types.

use uproar::prelude::*;

struct Add(u64);
struct Get(ReplyTo<u64>);

#[actor]
async fn counter(mut total: u64) {
    loop {
        #[receive]
        match receive().await {
            Add(n) => total += n,
            Get(reply_to) => reply_to.send(total),
        }
    }
}

#[uproar::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let counter: Address<Counter> = spawn(counter(0));
    for n in 1..=10 {
        counter.send(Add(n));
    }
    let total = counter.ask(Get).await?;
    println!("total: {total}");
    assert_eq!(total, 55);
    Ok(())
}
