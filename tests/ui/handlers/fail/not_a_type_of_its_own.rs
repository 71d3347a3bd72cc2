use uproar::prelude::*;

struct Get;

#[actor]
impl (u8, u8) {
    #[receive]
    fn get(&mut self, _: Get) {}
}

#[actor]
impl u8 {
    #[receive]
    fn get(&mut self, _: Get) {}
}

#[actor]
struct Account;

#[uproar::main]
async fn main() {
    let _ = Account;
}
