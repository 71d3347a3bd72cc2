use uproar::prelude::*;

struct Get;
struct Account;

#[actor]
impl Account {
    #[receive]
    async fn get(&mut self, _: Get) {}

    #[receive]
    async fn helper(&mut self) {}
}

#[uproar::main]
async fn main() {
    spawn(Account).send(Get);
}
