use uproar::prelude::*;

trait Shape {}

#[actor]
async fn by_type() {
    #[receive]
    match receive().await {
        Typed::<str>(text) => println!("{text}"),
        Typed::<[u8]>(bytes) => println!("{}", bytes.len()),
        Typed::<dyn Shape + Send>(_) => {}
        Typed::<impl Shape>(_) => {}
        str(text) => println!("{text}"),
    }
}

#[receive]
enum Wanted {
    Text(Typed<str>),
    Bytes([u8]),
    Shape(dyn Shape),
}

#[receive]
struct Text(str);

#[actor(receives(impl Shape))]
async fn listed(text: str) {
    println!("{text}");
}

#[uproar::main]
async fn main() {
    spawn(by_type()).send(1);
    let _: Wanted = receive().await;
    let _: Text = receive().await;
    spawn(listed("text".to_owned()));
}
