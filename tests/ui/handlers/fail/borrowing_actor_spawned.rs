use uproar::prelude::*;

struct Count;
struct Words<'a>(&'a str);
struct Lines<'a>(&'a str);

#[actor]
impl<'a> Words<'a> {
    #[receive]
    async fn count(&mut self, _: Count) -> usize {
        self.0.split(' ').count()
    }
}

#[actor]
impl Lines<'_> {
    #[receive]
    async fn count(&mut self, _: Count) -> usize {
        self.0.lines().count()
    }
}

#[uproar::main]
async fn main() -> Result<(), AskError> {
    let text = String::from("some words");
    let words: Address<Words> = spawn(Words(&text));
    println!("{}", words.call(Count).await?);
    let lines = spawn(Lines(&text));
    lines.send(Count);
    Ok(())
}
