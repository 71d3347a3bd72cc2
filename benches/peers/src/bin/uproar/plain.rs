//! Plain async fns: they receive by type, and anything may be sent to them.

use std::hint::black_box;
use std::sync::Arc;

use super::*;

pub const NAME: &str = "uproar-plain";

pub struct Style;

impl Protocols for Style {
    type Worker<B: Behavior> = Anything;
    type Server<S: Answer> = Anything;
}

pub async fn worker<B: Behavior>(mut b: B) {
    loop {
        let Typed(mut m) = receive::<Typed<B::Msg>>().await;
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

pub async fn server<S: Answer>(mut s: S) {
    loop {
        let Typed(Ask(q, reply_to)) = receive().await;
        reply_to.send(s.answer(q));
    }
}

pub async fn replier() {
    loop {
        let Typed(Req(x, from)) = receive().await;
        from.send(Reply(x));
    }
}

pub async fn requester(server: Recipient<Req>, n: u64, done: Arc<Latch>) {
    let me: Recipient<Reply> = self_address::<Anything>().recipient();
    let Typed(Go) = receive().await;
    for i in 0..n {
        server.send(Req(i, me.clone()));
        let Typed(Reply(x)) = receive().await;
        black_box(x);
    }
    done.down();
}

pub async fn asker(server: Address<Server<Echo>>, n: u64, done: Arc<Latch>) {
    let Typed(Go) = receive().await;
    for i in 0..n {
        black_box(server.ask(|reply_to| Ask(i, reply_to)).await.unwrap());
    }
    done.down();
}
