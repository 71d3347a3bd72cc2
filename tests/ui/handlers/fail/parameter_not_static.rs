use uproar::prelude::*;

struct Get;

struct Cache<T> {
    entry: T,
}

#[actor]
impl<T: Clone> Cache<T> {
    #[receive]
    async fn get(&mut self, _: Get) {
        drop(self.entry.clone());
    }
}

#[uproar::main]
async fn main() {
    spawn(Cache { entry: 1 }).send(Get);
}
