use uproar::prelude::*;

struct Get;
struct WithArgument;
struct Handled;
struct ByValue;
struct Wrong;

#[actor]
impl WithArgument {
    #[receive]
    fn get(&mut self, _: Get) {}

    async fn on_start(&mut self, capacity: usize) {
        drop(capacity);
    }
}

#[actor]
impl Handled {
    #[receive]
    fn get(&mut self, _: Get) {}

    #[receive]
    async fn on_start(&mut self) {}
}

#[actor]
impl ByValue {
    #[receive]
    fn get(&mut self, _: Get) {}

    async fn on_start(self) {}
}

#[actor]
impl Wrong {
    #[receive]
    fn get(&mut self, _: Get) {}

    async fn on_start(&mut self) -> u64 {
        7
    }
}

#[uproar::main]
async fn main() {
    spawn(WithArgument).send(Get);
    spawn(Handled).send(Get);
    spawn(ByValue).send(Get);
    spawn(Wrong).send(Get);
}
