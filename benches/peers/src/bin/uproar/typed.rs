//! `#[actor]` fns: an address takes what its actor's `#[receive]` matches name.

use std::hint::black_box;
use std::sync::Arc;

use super::*;

pub const NAME: &str = "uproar";

pub struct Style;

impl Protocols for Style {
    type Worker<B: Behavior> = Worker<B>;
    type Server<S: Answer> = Server<S>;
}

#[actor]
pub async fn worker<B: Behavior>(mut b: B) {
    loop {
        let mut m;
        #[receive]
        match receive().await {
            Typed::<B::Msg>(first) => m = first,
        }
        loop {
            match b.on(m).await {
                Flow::Go => break,
                Flow::Stop => return,
                Flow::After(d, next) => {
                    sleep(d).await;
                    m = next;
                }
                Flow::Again(next) => {
                    yield_now().await;
                    m = next;
                }
            }
        }
    }
}

#[actor]
pub async fn server<S: Answer>(mut s: S) {
    loop {
        #[receive]
        match receive().await {
            Ask(q, reply_to) => reply_to.send(s.answer(q)),
        }
    }
}

#[actor(receives(Junk))]
pub async fn replier() {
    loop {
        #[receive]
        match receive().await {
            Req(x, from) => from.send(Reply(x)),
        }
    }
}

#[actor]
pub async fn requester(server: Recipient<Req>, n: u64, done: Arc<Latch>) {
    let me: Recipient<Reply> = self_address::<Requester>().recipient();
    #[receive]
    match receive().await {
        Go => {}
    }
    for i in 0..n {
        server.send(Req(i, me.clone()));
        #[receive]
        match receive().await {
            Reply(x) => {
                black_box(x);
            }
        }
    }
    done.down();
}

#[actor(receives(Junk))]
pub async fn asker(server: Address<super::Server<Echo>>, n: u64, done: Arc<Latch>) {
    #[receive]
    match receive().await {
        Go => {}
    }
    for i in 0..n {
        black_box(server.ask(|reply_to| Ask(i, reply_to)).await.unwrap());
    }
    done.down();
}
