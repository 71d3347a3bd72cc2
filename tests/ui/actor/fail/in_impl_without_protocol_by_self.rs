use uproar::prelude::*;

struct Account {
    limit: u8,
}

impl Account {
    const LIMIT: u8 = 7;

    #[actor]
    async fn run(mut limit: u8) {
        limit = limit.max(Self::LIMIT);
        println!("{limit}");
    }
}

#[uproar::main]
async fn main() {
    let account = Account { limit: 1 };
    spawn(Account::run(account.limit));
}
