use uproar::prelude::*;

struct Holds<'a>(&'a str);

#[actor]
async fn counter<'a>(
    name: &str,
    other: &'a str,
    holds: Holds<'_>,
    fine: &'static str,
    f: impl Fn(&str) + Send + 'static,
) {
    f(name);
    println!("{other}{fine}{}", holds.0);
}

#[uproar::main]
async fn main() {
    spawn(counter("a", "b", Holds("c"), "d", |_| {}));
}
