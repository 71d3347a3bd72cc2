// The compiler has two errors for the same without a macro: see below.

use uproar::prelude::*;

struct Push(u8);

#[actor]
impl Vec<u8> {
    #[receive]
    async fn add(&mut self, Push(n): Push) {
        self.push(n);
    }
}

impl String {
    fn add(&mut self, Push(n): Push) {
        self.push(n.into());
    }
}

impl Clone for String {
    fn clone(&self) -> Self {
        String::new()
    }
}

#[uproar::main]
async fn main() {}
