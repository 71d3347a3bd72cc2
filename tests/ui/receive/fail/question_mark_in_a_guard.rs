use uproar::prelude::*;

struct Add(u8);

async fn check() -> bool {
    true
}

#[actor]
async fn counter() -> Result<(), std::num::ParseIntError> {
    'outer: loop {
        #[receive]
        match receive().await {
            Add(n) if "1".parse::<u8>()? == n => println!("{n}"),
            Add(_) => break 'outer,
        }
    }
    Ok(())
}

#[uproar::main]
async fn main() {
    drop(check().await);
    spawn(counter());
}
