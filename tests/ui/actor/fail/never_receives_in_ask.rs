use uproar::prelude::*;

struct Get(ReplyTo<u8>);
struct Other(ReplyTo<u8>);

#[actor]
async fn counter<T: Send + 'static>() {
    #[receive]
    match receive().await {
        Get(reply_to) => reply_to.send(0),
        Typed::<T>(_) => {}
        #[cfg(not(any()))]
        Typed::<char>(_) => {}
    }
}

#[uproar::main]
async fn main() {
    let counter = spawn(counter::<String>());
    let _ = counter.ask(Get).await;
    let _ = counter.ask(Other).await;
}
