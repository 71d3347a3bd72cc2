use uproar::prelude::*;

struct Cache;

#[actor]
impl<T: Send + 'static> Cache {
    #[receive]
    async fn put(&mut self, values: Vec<T>) {
        drop(values);
    }
}

#[uproar::main]
async fn main() {
    spawn(Cache).send(vec![1u8]);
}
