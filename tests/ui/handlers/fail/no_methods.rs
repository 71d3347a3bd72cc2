use uproar::prelude::*;

struct Account;

#[actor]
impl Account {}

#[uproar::main]
async fn main() {
    spawn(Account).send(1u8);
}
