use uproar::prelude::*;

struct Add(u64);
struct Account<S>(S);

trait Store {
    fn add(&mut self, n: u64);
}

#[actor]
impl<S: Store> Account<S> {
    #[receive]
    async fn add(&mut self, Add(n): Add) {
        self.0.add(n);
    }
}

#[uproar::main]
async fn main() {}
