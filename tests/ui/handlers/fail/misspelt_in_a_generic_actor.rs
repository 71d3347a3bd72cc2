use uproar::prelude::*;

struct Add(u8);
struct Account<T>(T);

#[actor]
impl<T: Send + 'static> Account<T> {
    #[receive]
    async fn add(&mut self, _: Ad) {}

    #[receive]
    async fn text(&mut self, _: Typed<Strng>) {}

    #[receive]
    async fn texts(&mut self, _: Vec<Strnig>) {}
}

#[uproar::main]
async fn main() {
    spawn(Account(1)).send(Add(1));
}
