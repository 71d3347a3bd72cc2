//! `Typed::<T>` names any type: a primitive, a reference, a tuple, a closure's box, a type with arguments.
#![deny(warnings)]
use uproar::prelude::*;

type Job = Box<dyn FnOnce() -> u8 + Send>;

#[actor]
async fn worker(done: Recipient<u8>) {
    let mut sum = 0;
    loop {
        #[receive]
        match receive().await {
            Typed::<u8>(n) => sum += n,
            Typed::<&'static str>(text) => sum += text.len() as u8,
            Typed::<(u8, Vec<u8>)>((a, list)) => sum += a + list[0],
            Typed::<Job>(job) => sum += job(),
            uproar::Typed::<fn(u8) -> u8>(f) => sum = f(sum),
            Typed::<std::sync::Arc<u8>>(n) => sum += *n,
            Typed::<[u8; 1 + 1]>([a, b]) => sum += a + b,
            Typed::<()>(()) => break done.send(sum),
        }
    }
}

#[uproar::main]
async fn main() {
    let worker = spawn(worker(self_address::<Anything>().recipient()));
    worker.send(1u8);
    worker.send("two");
    worker.send((3u8, vec![4u8]));
    worker.send(Box::new(|| 5u8) as Job);
    worker.send((|n| n * 2) as fn(u8) -> u8);
    worker.send(std::sync::Arc::new(6u8));
    worker.send([7u8, 8]);
    worker.send(());
    assert_eq!(receive::<Typed<u8>>().await, Typed(53));
}
