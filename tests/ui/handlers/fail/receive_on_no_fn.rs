use uproar::prelude::*;

struct Get;
struct Account;

#[actor]
impl Account {
    #[receive]
    const LIMIT: u64 = 7;

    #[receive]
    fn get(&mut self, _: Get) -> u64 {
        Self::LIMIT
    }
}

#[uproar::main]
async fn main() -> Result<(), AskError> {
    assert_eq!(spawn(Account).call(Get).await?, 7);
    Ok(())
}
