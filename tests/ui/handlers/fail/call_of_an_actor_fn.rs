use uproar::prelude::*;

struct Get(ReplyTo<u64>);

#[actor]
async fn counter(total: u64) {
    #[receive]
    match receive().await {
        Get(reply_to) => reply_to.send(total),
    }
}

#[uproar::main]
async fn main() {
    let total = spawn(counter(0)).call(Get).await;
    println!("{total:?}");
}
