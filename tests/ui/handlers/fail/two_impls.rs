// The compiler has two errors for the same without a macro: see below.

use uproar::prelude::*;

struct Add(u64);
struct Get;
struct Account(u64);

#[actor]
impl Account {
    #[receive]
    async fn add(&mut self, Add(n): Add) {
        self.0 += n;
    }
}

#[actor]
impl Account {
    #[receive]
    async fn get(&mut self, _: Get) -> u64 {
        self.0
    }
}

trait Adds {}
trait Gets {}
struct Plain;
impl Adds for Plain {}
impl Gets for Plain {}
impl Adds for Plain {}
impl Gets for Plain {}

#[uproar::main]
async fn main() {
    spawn(Account(1)).send(Add(1));
}
