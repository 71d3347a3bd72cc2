use uproar::prelude::*;

struct Add(u64);
struct Stop;

#[receive]
enum Wanted {
    Add(Add)
    Stop(Stop),
}

#[uproar::main]
async fn main() {
    self_address::<Wanted>().send(Add(1));
    match receive().await {
        Wanted::Add(Add(n)) => println!("{n}"),
        Wanted::Stop(Stop) => {}
    }
}
