// The compiler has two errors for the same without a macro: see below.

use uproar::prelude::*;

struct Get;
trait Shape {}
trait Plain {}

#[actor]
impl Shape {
    #[receive]
    async fn get(&mut self, _: Get) {}
}

impl Plain {
    fn get(&mut self, _: Get) {}
}

impl Clone for Plain {
    fn clone(&self) -> Self {
        todo!()
    }
}

#[uproar::main]
async fn main() {}
