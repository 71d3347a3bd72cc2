// The compiler has one error for the type and one for each trait that is derived: see below.

use uproar::prelude::*;

struct Add(u8);

#[receive]
enum Wanted {
    Add(Add),
}

#[receive]
enum Wanted {
    Add(Add),
}

#[derive(Clone, Debug)]
struct Plain;

#[derive(Clone, Debug)]
struct Plain;

#[uproar::main]
async fn main() {
    let Wanted::Add(Add(_)) = receive().await;
    println!("{:?}", Plain.clone());
}
