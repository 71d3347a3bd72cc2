use uproar::prelude::*;

struct Add(u64);
struct Get;
struct Account(u64);

#[actor]
impl Account {
    #[recieve]
    async fn add(&mut self, Add(n): Add) {
        self.0 += n;
    }

    #[recive]
    async fn get(&mut self, _: Get) -> u64 {
        self.0
    }
}

#[uproar::main]
async fn main() -> Result<(), AskError> {
    let account = spawn(Account(1));
    account.send(Add(1));
    let _: u64 = account.call(Get).await?;
    Ok(())
}
