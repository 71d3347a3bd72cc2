use uproar::prelude::*;

struct Add(u64);
struct Counter(u64);

#[actor]
impl Counter {
    #[actor]
    async fn add(&mut self, Add(n): Add) {
        self.0 += n;
    }
}

#[uproar::main]
async fn main() {
    spawn(Counter(0)).send(Add(1));
}
