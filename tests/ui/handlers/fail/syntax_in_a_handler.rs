use uproar::prelude::*;

struct Deposit(u64);
struct Balance;
struct Account(u64);

#[actor]
impl Account {
    #[receive]
    async fn deposit(&mut self, Deposit(n): Deposit) {
        let before = self.0
        self.0 = before + n;
    }

    #[receive]
    fn balance(&mut self, _: Balance) -> u64 {
        self.total()
    }

    fn total(&self) -> u64 {
        self.0
    }
}

#[uproar::main]
async fn main() -> Result<(), AskError> {
    let account: Address<Account> = spawn(Account(0));
    account.send(Deposit(Account(1).total()));
    let _: u64 = account.call(Balance).await?;
    account.call(Deposit(1)).await
}
