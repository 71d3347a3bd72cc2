use uproar::prelude::*;

struct Add(u64);
struct Sub(u64);
struct Stop;
struct Account;

#[actor]
impl Account {
    #[receive]
    async fn add(self, Add(n): Add) {
        drop(n);
    }

    #[receive]
    async fn sub(mut self, Sub(n): Sub) {
        drop(n);
    }

    #[receive]
    async fn stop(self: Box<Self>, _: Stop) {}
}

#[uproar::main]
async fn main() {
    let account = spawn(Account);
    account.send(Add(1));
    account.send(Sub(1));
    account.send(Stop);
}
