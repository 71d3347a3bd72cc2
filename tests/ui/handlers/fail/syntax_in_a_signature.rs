use uproar::prelude::*;

struct Deposit(u64);
struct Balance;
struct Account(u64);

#[actor]
impl Account {
    #[receive]
    async fn deposit(&mut self, Deposit(n)) {
        self.0 += n;
    }

    #[receive]
    fn balance(&mut self, _: Balance) -> u64 {
        self.0
    }
}

#[uproar::main]
async fn main() -> Result<(), AskError> {
    let account: Address<Account> = spawn(Account(0));
    account.send(Deposit(1));
    let _: u64 = account.call(Balance).await?;
    Ok(())
}
