use uproar::prelude::*;

struct Put<T>(T);

#[actor]
async fn cache<T: Send>(mut entry: T) {
    loop {
        #[receive]
        match receive().await {
            Put::<T>(new) => drop(std::mem::replace(&mut entry, new)),
        }
    }
}

#[uproar::main]
async fn main() {
    let cache: Address<Cache<u8>> = spawn(cache(1u8));
    cache.send(Put(2u8));
}
