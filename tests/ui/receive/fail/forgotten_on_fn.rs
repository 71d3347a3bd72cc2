use uproar::prelude::*;

struct Add(u8);

async fn forgotten() {
    #[receive]
    match receive().await {
        Add(n) => println!("{n}"),
    }
}

fn main() {
    let _ = forgotten();
}
