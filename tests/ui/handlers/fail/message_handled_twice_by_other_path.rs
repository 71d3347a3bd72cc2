use uproar::prelude::*;

mod messages {
    pub struct Add(pub u64);
}
use messages::Add;

struct Account;

#[actor]
impl Account {
    #[receive]
    async fn add(&mut self, Add(n): Add) {
        drop(n);
    }

    #[receive]
    async fn add_again(&mut self, message: messages::Add) {
        drop(message);
    }
}

#[uproar::main]
async fn main() {
    spawn(Account).send(Add(1));
}
