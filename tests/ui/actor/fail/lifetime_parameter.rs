use uproar::prelude::*;

struct Holds<'a>(&'a str);

#[actor]
async fn counter<'a>(other: &'a str, holds: Holds<'a>) {
    println!("{other}{}", holds.0);
}

#[uproar::main]
async fn main() {
    spawn(counter("b", Holds("c")));
}
