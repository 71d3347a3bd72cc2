use uproar::prelude::*;

struct Deposit(u64);
struct Account(u64);

#[actor]
impl Account {
    async fn on_start(&mut self) {
        self.0 = 1;
    }

    #[receive]
    async fn deposit(&mut self, Deposit(n)) {
        self.0 += n;
    }
}

#[uproar::main]
async fn main() {
    spawn(Account(0)).send(Deposit(1));
}
