use uproar::prelude::*;

struct Deposit(u64);
struct Account(u64);

#[actor]
impl Account {
    #[receive]
    async fn deposit(&mut self, message: Deposti) {
        self.0 += message.0;
    }
}

#[uproar::main]
async fn main() {
    spawn(Account(1)).send(Deposit(1));
}
