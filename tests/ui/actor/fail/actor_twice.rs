// The compiler has three errors for the same without a macro: see below.

use uproar::prelude::*;

struct Add(u8);

#[actor]
async fn counter() {
    #[receive]
    match receive().await {
        Add(n) => println!("{n}"),
    }
}

#[actor]
async fn counter() {
    #[receive]
    match receive().await {
        Add(n) => println!("{n}"),
    }
}

trait Adds {}

struct Plain;
fn plain() {}
impl Adds for Plain {}

struct Plain;
fn plain() {}
impl Adds for Plain {}

#[uproar::main]
async fn main() {
    spawn(counter()).send(Add(1));
    plain();
}
