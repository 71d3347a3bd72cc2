use uproar::prelude::*;

#[actor]
async fn lists() {
    #[receive]
    match receive().await {
        Typed::<Vec<_>>(list) => println!("{}", list.len()),
    }
}

fn main() {}
