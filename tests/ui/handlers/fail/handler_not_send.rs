use std::rc::Rc;

use uproar::prelude::*;

struct Get;
struct Account;

#[actor]
impl Account {
    #[receive]
    async fn get(&mut self, _: Get) -> u64 {
        let shared = Rc::new(7);
        yield_now().await;
        *shared
    }
}

#[uproar::main]
async fn main() {
    spawn(Account).send(Get);
}
