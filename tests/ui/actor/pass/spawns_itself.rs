//! An actor that spawns itself, and is generic.
#![deny(warnings)]
use uproar::prelude::*;

struct Get(ReplyTo<u32>);

#[actor]
async fn tree<T: Clone + Send + 'static>(depth: u32, value: T) {
    let mut size = 1;
    if depth > 0 {
        for _ in 0..2 {
            let child: Address<Tree<T>> = spawn(tree(depth - 1, value.clone()));
            size += child.ask(Get).await.unwrap();
        }
    }
    #[receive]
    match receive().await {
        Get(reply_to) => reply_to.send(size),
    }
}

#[uproar::main]
async fn main() {
    assert_eq!(spawn(tree(4, "x")).ask(Get).await, Ok(31));
}
