//! Compiled as a doc test of the 2021 edition too: what the macros generate is of no edition.
#![deny(warnings)]
use uproar::prelude::*;

mod m {
    pub struct Add(pub u64);
}

struct Get<T>(ReplyTo<T>);
enum Command {
    Double,
    Stop { after: u8 },
}

/// Not a keyword before 2024.
#[actor]
async fn r#gen<T: Send + 'static>(
    mut total: u64,
    describe: impl Fn(u64) -> T + Send + 'static,
) -> Result<(), String> {
    use m::Add;
    let mut left = None;
    for turn in 0.. {
        if left == Some(turn) {
            break;
        }
        #[receive(timeout = Duration::from_secs(60))]
        match receive().await {
            Add(n) if n > 0 => total += n,
            Command::Double => total *= 2,
            Typed::<Get<T>>(Get(reply_to)) => reply_to.send(describe(total)),
            Command::Stop { after } => left = Some(turn + u64::from(after)),
            Timeout => return Err(format!("{turn}")),
        }
    }
    "1".parse::<u8>()
        .map(drop)
        .map_err(|error| error.to_string())
}

#[receive]
enum Wanted {
    Add(m::Add),
    Text(Typed<&'static str>),
}

#[uproar::main]
async fn main() {
    let r#gen: Address<Gen<String>> = spawn(r#gen(1, |total| total.to_string()));
    r#gen.send(m::Add(20));
    r#gen.send(Command::Double);
    assert_eq!(r#gen.ask(Get).await.as_deref(), Ok("42"));
    r#gen.send(Command::Stop { after: 1 });
    while r#gen.is_alive() {
        yield_now().await;
    }
    let me = self_address::<Wanted>();
    me.send("text");
    me.send(m::Add(1));
    match receive().await {
        Wanted::Add(m::Add(_)) => unreachable!(),
        Wanted::Text(Typed(text)) => assert_eq!(text, "text"),
    }
}
