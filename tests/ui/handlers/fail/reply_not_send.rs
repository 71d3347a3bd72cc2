use std::rc::Rc;

use uproar::prelude::*;

struct Get;
struct Account;

#[actor]
impl Account {
    #[receive]
    fn get(&mut self, _: Get) -> Rc<u64> {
        Rc::new(7)
    }
}

struct Safe;

#[actor]
impl Safe {
    #[receive]
    async fn get(&mut self, _: Get) -> Rc<u64> {
        std::future::ready(()).await;
        Rc::new(7)
    }
}

#[uproar::main]
async fn main() {
    spawn(Account).send(Get);
}
