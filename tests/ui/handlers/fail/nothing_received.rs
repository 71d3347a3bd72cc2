use uproar::prelude::*;

struct Add(u64);
struct Account(u64);

#[actor]
impl Account {
    async fn add(&mut self, Add(n): Add) {
        self.0 += n;
    }
}

#[uproar::main]
async fn main() {
    spawn(Account(1)).send(Add(1));
}
