use uproar::prelude::*;

struct Add(u64);
struct Account;

#[actor]
impl Account {
    #[receive]
    async fn add(&mut self, Add(n): Add) -> u64 {
        n
    }

    #[receive]
    async fn add_again(&mut self, message: Add) {
        drop(message);
    }

    #[receive]
    async fn any(&mut self, _: Envelope) {}

    #[receive]
    async fn other(&mut self, _: Envelope) {}
}

#[uproar::main]
async fn main() -> Result<(), AskError> {
    let n: u64 = spawn(Account).call(Add(1)).await?;
    println!("{n}");
    Ok(())
}
