use uproar::prelude::*;

struct Holds<'a>(&'a str);

#[actor]
async fn counter(holds: Holds) {
    println!("{}", holds.0);
}

#[uproar::main]
async fn main() {
    spawn(counter(Holds("c")));
}
