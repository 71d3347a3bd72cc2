use uproar::prelude::*;

struct Account;

impl Account {
    #[actor]
    async fn run(n: u8) {
        println!("{n}");
    }
}

#[uproar::main]
async fn main() {
    let _ = Account;
}
