use uproar::prelude::*;

#[actor(nmae = Foo)]
async fn one() {}

#[actor(name = Foo, protocol = Bar)]
async fn two() {}

#[actor(receives(Foo), protocol = Bar)]
async fn three() {}

#[actor(name)]
async fn four() {}

#[actor(name = A, name = B)]
async fn five() {}

#[actor(receives = A)]
async fn six() {}

#[actor]
async fn __() {}

struct Bar;

fn main() {
    let _: (_, _, _, _, _, _) = (one(), two(), three(), four(), five(), six());
}
