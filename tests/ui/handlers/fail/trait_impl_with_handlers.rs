use uproar::prelude::*;

struct Deposit(u64);
struct Balance;
struct Account(u64);
struct Log;

trait Named {
    fn name(&self) -> String;
}

#[actor]
impl Named for Account {
    #[receive]
    async fn deposit(&mut self, Deposit(n): Deposit) {
        self.0 += n;
    }

    #[receive]
    async fn balance(&mut self, _: Balance) -> u64 {
        self.0
    }

    fn name(&self) -> String {
        self.0.to_string()
    }
}

#[actor]
impl Actor for Log {
    #[receive]
    async fn line(&mut self, line: String) {
        println!("{line}");
    }
}

#[uproar::main]
async fn main() -> Result<(), AskError> {
    println!("{}", Account(0).name());
    let account = spawn(Account(0));
    account.send(Deposit(1));
    let balance: u64 = account.call(Balance).await?;
    let log: Address<Log> = spawn(Log);
    log.send(balance.to_string());
    Ok(())
}
