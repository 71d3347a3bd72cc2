use uproar::prelude::*;

struct Lines<'a>(&'a str);
struct Account;

#[actor]
impl Account {
    #[receive]
    fn text(&mut self, text: &str) -> usize {
        text.len()
    }

    #[receive]
    fn lines<'a>(&mut self, Lines(text): Lines<'a>) -> usize {
        text.len()
    }
}

#[uproar::main]
async fn main() {
    spawn(Account).send("text");
}
