use uproar::prelude::*;

struct Account(u8);

impl Account {
    #[actor]
    async fn start(account: Self) {
        drop(account.0);
    }
}

fn main() {
    let _ = Account::start(Account(1));
}
