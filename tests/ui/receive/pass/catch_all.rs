//! `_` and a variable take any message, as an `Envelope`, and add nothing to the protocol.
#![deny(warnings)]
use uproar::prelude::*;

struct Left(u8);
struct Number(u32);

#[actor]
async fn catch_all() {
    let me = self_address::<Anything>();
    me.send(Left(1));
    me.send("text");
    me.send(Number(4));
    // With a guard it sees what the arms above it refuse, and hands it back.
    let mut names = Vec::new();
    let any = #[receive]
    match receive().await {
        Left(n) if n > 1 => unreachable!(),
        other
            if {
                names.push(other.type_name());
                other.is::<Number>()
            } =>
        {
            other
        }
        Typed::<&'static str>(text) if text.is_empty() => unreachable!(),
    };
    assert_eq!(names.len(), 3);
    assert!(matches!(any.downcast(), Ok(Number(4))));
    #[receive]
    match receive().await {
        Typed::<&'static str>(text) => assert_eq!(text, "text"),
        _ => me.send(Number(0)),
    }
    #[receive]
    match receive().await {
        mut other @ _ => {
            other = Envelope::new(other.type_name());
            assert!(other.is::<&str>());
        }
    }
    // What is below one under a `#[cfg]` may be reached.
    #[receive]
    match receive().await {
        #[cfg(any())]
        _ => {}
        Number(n) => assert_eq!(n, 0),
    }
}

fn main() {
    assert_eq!(uproar::run(catch_all()), ExitReason::Normal);
}
