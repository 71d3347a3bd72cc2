use uproar::prelude::*;

struct Get;
struct Account;

trait Gets {
    async fn get(&mut self, _: Get);
}

#[actor]
impl Gets for Account {
    #[receive]
    async fn get(&mut self, _: Get) {}
}

#[uproar::main]
async fn main() {}
