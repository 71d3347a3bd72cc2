use uproar::prelude::*;

struct Get;
struct Account;

#[actor]
impl Account {
    #[receive]
    async fn get(&mut self, _: Get);
}

#[uproar::main]
async fn main() {
    spawn(Account).send(Get);
}
