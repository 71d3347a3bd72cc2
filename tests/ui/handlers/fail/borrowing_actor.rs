use uproar::prelude::*;

struct Get;
struct View<'a>(&'a str);
struct Elided<'a>(&'a str);

#[actor]
impl<'a> View<'a> {
    #[receive]
    fn get(&mut self, _: Get) -> usize {
        self.0.len()
    }
}

#[actor]
impl Elided<'_> {
    #[receive]
    fn get(&mut self, _: Get) -> usize {
        self.0.len()
    }
}

#[uproar::main]
async fn main() {}
