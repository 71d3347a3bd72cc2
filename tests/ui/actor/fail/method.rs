use uproar::prelude::*;

struct Add(u8);
struct Account(u8);

impl Account {
    #[actor]
    async fn run(&mut self) {
        #[receive]
        match receive().await {
            Add(n) => self.0 += n,
        }
    }
}

fn main() {
    let mut account = Account(1);
    let _ = account.run();
}
