use uproar::prelude::*;

struct Open;
struct Close;

fn slam<P: Receives<Open>>(door: &Address<P>) {
    door.send(Open);
    door.send(Close);
}

fn knock<P>(door: &Address<P>) {
    door.send(Open);
}

#[uproar::main]
async fn main() {
    let me = self_address::<Anything>();
    slam(&me);
    knock(&me);
}
