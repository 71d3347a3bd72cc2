use uproar::prelude::*;

struct Holds<'a>(&'a str);

#[actor]
async fn counter(holds: Holds) {
    println!("{}", holds.0);
}

#[actor]
async fn generic<T: Send>(value: T) {
    drop(value);
}

#[uproar::main]
async fn main() {
    spawn(counter(Holds("c")));
    spawn(generic(1));
}
