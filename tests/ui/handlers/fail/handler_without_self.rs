use uproar::prelude::*;

struct Add(u64);
struct Account;

#[actor]
impl Account {
    #[receive]
    async fn add(Add(n): Add) {
        drop(n);
    }
}

#[uproar::main]
async fn main() {
    spawn(Account).send(Add(1));
}
