struct Add(u64);

#[uproar::main]
async fn main() {
    use uproar::prelude::*;

    let total = 1 + ;
    #[receive]
    match receive().await {
        Add(n) => println!("{}", total + n),
    }
}
