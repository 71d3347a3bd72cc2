use uproar::prelude::*;

struct Get;
struct Account<T>(T);

#[actor]
impl Account<T> {
    #[receive]
    async fn get(&mut self, _: Get) {}
}

struct Safe<T>(T);

#[actor]
impl Safe<Item> {
    #[receive]
    async fn get(&mut self, _: Get) {}
}

fn main() {}
