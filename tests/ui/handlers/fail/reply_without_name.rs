use uproar::prelude::*;

struct Get;
struct List;
struct Account;

#[actor]
impl Account {
    #[receive]
    fn get(&mut self, _: Get) -> impl Future<Output = u64> {
        async { 7 }
    }

    #[receive]
    async fn list(&mut self, _: List) -> impl Iterator<Item = u64> {
        0..7
    }

    #[receive]
    async fn other(&mut self, _: Envelope) -> u64 {
        7
    }
}

#[uproar::main]
async fn main() {
    spawn(Account).send(Get);
    spawn(Account).send(List);
}
