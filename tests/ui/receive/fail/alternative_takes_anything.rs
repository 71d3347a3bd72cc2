use uproar::prelude::*;

struct Add(u8);

#[actor]
async fn kinds() {
    #[receive]
    match receive().await {
        Add(_) | _ => {}
    }
}

#[uproar::main]
async fn main() {
    spawn(kinds());
}
