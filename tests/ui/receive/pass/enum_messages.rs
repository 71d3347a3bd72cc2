//! An enum is one message type, whose variants stand in several arms, in every form of path.
#![deny(warnings)]
use uproar::prelude::*;

mod m {
    pub enum Command {
        Go(u8),
        Stop,
        Say { text: &'static str, loud: bool },
    }
    pub type Alias = Command;
}
use m::Command;

enum Many<T> {
    One(T),
    Two { a: T, b: T },
    None,
}

#[actor]
async fn obeys(done: Recipient<String>) {
    let mut seen = String::new();
    loop {
        #[receive]
        match receive().await {
            Command::Go(0) => seen += "rest ",
            Many::<u8>::One(n) => seen += &format!("one {n} "),
            m::Command::Go(n) if n > 8 => seen += "far ",
            Command::Go(1..4) | Command::Go(4..) => seen += "go ",
            Many::<u8>::Two { a, .. } if a == 0 => seen += "zero ",
            Command::Say { text, loud: false } => seen += text,
            self::Command::Say { text, .. } => seen += &text.to_uppercase(),
            m::Alias::Stop => break done.send(seen),
            Many::<u8>::Two { b, .. } => seen += &format!("two {b} "),
            Many::<u8>::None => seen += "none ",
        }
    }
}

#[uproar::main]
async fn main() {
    let obeys = spawn(obeys(self_address::<Anything>().recipient()));
    obeys.send(Command::Go(0));
    obeys.send(Many::One(1));
    obeys.send(Command::Go(9));
    obeys.send(Command::Go(2));
    obeys.send(Many::Two { a: 0, b: 1 });
    obeys.send(Many::Two { a: 1, b: 2 });
    obeys.send(Many::None);
    let (text, other) = ("say ", "loud");
    obeys.send(Command::Say { text, loud: false });
    obeys.send(m::Alias::Say {
        text: other,
        loud: true,
    });
    obeys.send(Command::Stop);
    let Typed(seen) = receive::<Typed<String>>().await;
    assert_eq!(seen, "rest one 1 far go zero two 2 none say LOUD");
}
