use uproar::prelude::*;

struct Get;
struct Account;

#[actor(local)]
impl Account {
    #[receive]
    fn get(&mut self, _: Get) {}
}

#[uproar::main]
async fn main() {
    spawn(Account).send(Get);
}
