use uproar::prelude::*;

struct Put<T>(T);
struct Fill<const N: usize>;
struct Show;
struct Account;

#[actor]
impl Account {
    #[receive]
    async fn put<T: Send + 'static>(&mut self, Put(item): Put<T>) {
        drop(item);
    }

    #[receive]
    async fn fill<const N: usize>(&mut self, _: Fill<N>) {}

    #[receive]
    async fn show(&mut self, message: impl ToString) {
        drop(message);
    }
}

#[uproar::main]
async fn main() {
    let account = spawn(Account);
    account.send(Put(1));
    account.send(Fill::<1>);
    account.send(Show);
}
