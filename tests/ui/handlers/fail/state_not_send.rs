use std::rc::Rc;

use uproar::prelude::*;

struct Get;
struct Account(Rc<u64>);

#[actor]
impl Account {
    #[receive]
    fn get(&mut self, _: Get) -> u64 {
        *self.0
    }
}

#[uproar::main]
async fn main() {
    spawn(Account(Rc::new(7))).send(Get);
}
