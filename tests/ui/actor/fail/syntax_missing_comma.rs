use uproar::prelude::*;

struct Add(u64);
struct Get(ReplyTo<u64>);

#[actor]
async fn counter(mut total: u64) {
    loop {
        #[receive]
        match receive().await {
            Add(n) => total += n
            Get(reply_to) => reply_to.send(total),
        }
    }
}

#[uproar::main]
async fn main() {
    let counter: Address<Counter> = spawn(counter(0));
    counter.send(Add(1));
    let _: Result<u64, AskError> = counter.ask(Get).await;
}
