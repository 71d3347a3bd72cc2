use uproar::prelude::*;

struct Add(u64);
struct To(u8);
struct Account;

#[actor]
impl Account {
    #[receive]
    async fn add(&mut self, Add(n): Add, To(account): To) {
        drop((n, account));
    }
}

#[uproar::main]
async fn main() {
    spawn(Account).send(Add(1));
}
