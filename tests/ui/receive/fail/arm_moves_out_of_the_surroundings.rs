use uproar::prelude::*;

struct Add(u8);

#[actor]
async fn counter(text: String) {
    loop {
        #[receive]
        match receive().await {
            Add(_) => drop(text),
        }
    }
}

#[uproar::main]
async fn main() {
    spawn(counter(String::new())).send(Add(1));
}
