use uproar::prelude::*;

struct Add(u64);
struct Get;
struct Account(u64);

#[actor]
impl Account {
    #[receive]
    async fn add(&mut self, Add(n): Add) {
        self.0 += n;
    }
}

#[actor]
impl Account {
    #[receive]
    async fn get(&mut self, _: Get) -> u64 {
        self.0
    }
}

#[uproar::main]
async fn main() {
    spawn(Account(1)).send(Add(1));
}
