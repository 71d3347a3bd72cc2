use uproar::prelude::*;

#[actor]
async fn counter(name: &str, fine: &'static str, f: impl Fn(&str) + Send + 'static) {
    f(name);
    f(fine);
}

#[uproar::main]
async fn main() {
    spawn(counter("a", "b", |_| {}));
}
