// The compiler looks at the bound before it knows the argument's type, and so it does in the plain function below.

use uproar::prelude::*;

struct Close;

fn slam<P>(door: &Address<P>) {
    door.send(Close);
}

fn slam_by_recipient<P>(door: &Address<P>) {
    door.recipient::<Close>().send(Close);
}

struct Plain<P>(P);

trait Takes<M> {}

impl<P> Plain<P> {
    fn take<M>(&self, _: M)
    where
        P: Takes<M>,
    {
    }
}

fn plain<P>(to: &Plain<P>) {
    to.take(Close);
}

#[uproar::main]
async fn main() {}
