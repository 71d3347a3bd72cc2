use uproar::prelude::*;

#[actor]
async fn over_a_number() {
    for n in 5 {
        std::future::ready(n).await;
    }
}

#[actor]
async fn over_what_a_method_returns(list: Vec<u8>) {
    for n in list.len() {
        std::future::ready(n).await;
    }
}

#[uproar::main]
async fn main() {
    spawn(over_a_number());
    spawn(over_what_a_method_returns(Vec::new()));
}
