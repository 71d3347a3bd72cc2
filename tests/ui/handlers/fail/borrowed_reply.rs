use uproar::prelude::*;

struct Name;
struct Person(String);

#[actor]
impl Person {
    #[receive]
    fn name(&mut self, _: Name) -> &str {
        &self.0
    }
}

#[uproar::main]
async fn main() {
    spawn(Person("Joe".into())).send(Name);
}
