use uproar::prelude::*;

struct Add(u8);

async fn check() -> bool {
    true
}

#[actor]
async fn counter() {
    'outer: loop {
        #[receive]
        match receive().await {
            Add(n) if { continue } => println!("{n}"),
            Add(_) => break 'outer,
        }
    }
}

#[uproar::main]
async fn main() {
    drop(check().await);
    spawn(counter());
}
