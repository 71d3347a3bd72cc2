use uproar::prelude::*;

struct Deposit(u64);
struct Balance;
struct Withdraw(u64);
struct Account(u64);

#[actor]
impl Account {
    #[receive]
    async fn deposit(&mut self, Deposit(n): Deposit) {
        self.0 += n;
    }

    #[receive]
    async fn balance(&mut self, _: Balance) -> u64 {
        self.0
    }
}

#[uproar::main]
async fn main() -> Result<(), AskError> {
    let account = spawn(Account(1));
    account.send(Withdraw(1));
    account.call(Withdraw(1)).await?;
    let text: String = account.call(Balance).await?;
    println!("{text}");
    Ok(())
}
