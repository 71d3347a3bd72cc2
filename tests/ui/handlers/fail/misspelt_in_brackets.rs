use uproar::prelude::*;

struct Account;

#[actor]
impl Account {
    #[receive]
    async fn text(&mut self, _: Typed<Strng>) {
        #[receive]
        match receive().await {
            Typed::<Option<Stirng>>(text) => drop(text),
        }
    }

    #[receive]
    async fn texts(&mut self, _: Vec<Strnig>) {}
}

#[uproar::main]
async fn main() {
    spawn(Account).send(String::new());
}
