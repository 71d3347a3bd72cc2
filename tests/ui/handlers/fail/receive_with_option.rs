use uproar::prelude::*;

struct Get;
struct Set;
struct Account;

#[actor]
impl Account {
    #[receive(timeout = Duration::from_secs(1))]
    fn get(&mut self, _: Get) {}

    #[receive(priority)]
    fn set(&mut self, _: Set) {}
}

#[uproar::main]
async fn main() {
    let account = spawn(Account);
    account.send(Get);
    account.send(Set);
}
