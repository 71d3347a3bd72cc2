use uproar::prelude::*;

struct Account;

impl Account {
    #[allow(dead_code)]
    async fn get(&mut self) {}
}

#[uproar::main]
async fn main() {
    spawn(Account);
}
