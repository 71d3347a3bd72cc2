//! Which message is taken, by which arm, and what the others see of it.
#![deny(warnings)]

use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};

use uproar::prelude::*;

mod m {
    pub struct Add {
        pub n: u64,
        pub by: &'static str,
    }
    pub struct Stop;
}

enum Command {
    Go(u8),
    Stop,
    Other { name: String },
}

enum Many<T> {
    One(T),
    None,
}

struct Reply {
    id: u64,
    body: Vec<u8>,
}

struct Text(String);
struct Number(u32);
struct Left(u8);
struct Right(u8);
struct Deep(Option<(Command, [u8; 3])>);

fn me() -> Address<Anything> {
    self_address::<Anything>()
}

/// Names the arm that takes the oldest message that any takes.
#[receive]
async fn taken(wanted: u64) -> String {
    #[receive(timeout = Duration::ZERO)]
    match receive().await {
        Reply { id, body } if id == wanted => format!("reply {}", body.len()),
        Reply { id: 0, mut body } => {
            body.push(1);
            format!("none {}", body.len())
        }
        Reply { id, .. } if format!("{id}") == "7" => "seven".into(),
        m::Add { n, by: _by } => format!("add {n}"),
        m::Stop => "stop".into(),
        Command::Go(0) | Command::Stop => "rest".into(),
        Command::Other { name } => name,
        Many::<u8>::One(n) => format!("one {n}"),
        Many::<u8>::None => "none".into(),
        Typed::<String>(text) => text,
        Typed::<[u8; 4]>([first, .., last]) => format!("{first} to {last}"),
        Typed::<&'static str>("ping") => "pong".into(),
        Typed::<u64>(n @ (1..=9 | 20)) => format!("digit {n}"),
        whole @ Number(1..) => format!("number {}", whole.0),
        Text(text) if let Ok(number) = text.parse::<usize>() => format!("parsed {number}"),
        Left(n) | Right(n) if n > 3 => format!("big {n}"),
        Left(_) | (Right(_)) => "small".into(),
        Deep(Some((Command::Go(n), [1, middle, _]))) if middle > n => format!("deep {middle}"),
        Deep(None) => "shallow".into(),
        other if other.is::<i8>() => format!("any {}", other.type_name()),
        Text(mut text) => {
            text.push('!');
            text
        }
        Timeout => "timeout".into(),
    }
}

#[actor]
async fn every_kind_of_arm() {
    macro_rules! check {
        ($message:expr, $expected:expr) => {
            me().send($message);
            assert_eq!(taken(3).await, $expected);
        };
    }
    check!(
        Reply {
            id: 3,
            body: vec![0]
        },
        "reply 1"
    );
    check!(
        Reply {
            id: 0,
            body: vec![0]
        },
        "none 2"
    );
    check!(
        Reply {
            id: 7,
            body: vec![]
        },
        "seven"
    );
    check!(m::Add { n: 1, by: "x" }, "add 1");
    check!(m::Stop, "stop");
    check!(Command::Go(0), "rest");
    check!(Command::Stop, "rest");
    check!(
        Command::Other {
            name: "other".into()
        },
        "other"
    );
    check!(Many::One(1u8), "one 1");
    check!(Many::<u8>::None, "none");
    check!(String::from("string"), "string");
    check!([1u8, 2, 3, 4], "1 to 4");
    check!("ping", "pong");
    check!(9u64, "digit 9");
    check!(20u64, "digit 20");
    check!(Number(5), "number 5");
    check!(Text("12".into()), "parsed 12");
    check!(Text("twelve".into()), "twelve!");
    check!(Left(4), "big 4");
    check!(Right(5), "big 5");
    check!(Left(3), "small");
    check!(Right(3), "small");
    check!(Deep(Some((Command::Go(1), [1, 2, 3]))), "deep 2");
    check!(Deep(None), "shallow");
    check!(1i8, "any i8");
    for left in 0..2 {
        // These no arm takes.
        check!(
            Reply {
                id: 1,
                body: vec![]
            },
            "timeout"
        );
        check!(Command::Go(1), "timeout");
        check!(Many::One(1u16), "timeout");
        check!("pong", "timeout");
        check!(10u64, "timeout");
        check!(Number(left), if left == 0 { "timeout" } else { "number 1" });
        check!(Deep(Some((Command::Go(2), [1, 2, 3]))), "timeout");
        check!(1i16, "timeout");
    }
    let mut skipped = 0;
    while try_receive::<Envelope>().is_some() {
        skipped += 1;
    }
    assert_eq!(skipped, 15);
}

/// The oldest message that some arm takes; the others keep their order. [R8] [R9]
#[actor]
async fn oldest_first() {
    for n in [5, 1, 7, 2, 9] {
        me().send(Left(n));
        me().send(Right(n));
    }
    let mut seen = Vec::new();
    for limit in [1, 2, 9, 9] {
        #[receive]
        match receive().await {
            Right(n) if n <= limit => seen.push(("right", n)),
            Left(n) if n < limit => seen.push(("left", n)),
        }
    }
    assert_eq!(seen, [("right", 1), ("left", 1), ("left", 5), ("right", 5)]);
    let mut rest = Vec::new();
    for _ in 0..6 {
        #[receive]
        match receive().await {
            Left(n) | Right(n) => rest.push(n),
        }
    }
    assert_eq!(rest, [7, 7, 2, 2, 9, 9]);
}

static DROPS: AtomicU32 = AtomicU32::new(0);

fn drops() -> u32 {
    DROPS.load(Ordering::Relaxed)
}

struct Counted;

impl Drop for Counted {
    fn drop(&mut self) {
        DROPS.fetch_add(1, Ordering::Relaxed);
    }
}

struct Parcel {
    to: u8,
    value: Box<u8>,
    counted: Counted,
}

/// A message is moved out when its arm is chosen, and not before; guards see it, and what is around.
#[actor(local)]
async fn nothing_moves_before_the_arm_is_chosen() {
    for to in 1..=3 {
        me().send(Parcel {
            to,
            value: Box::new(to),
            counted: Counted,
        });
    }
    let tested = RefCell::new(Vec::new());
    let test = |to: u8| {
        tested.borrow_mut().push(to);
        true
    };
    let mine = 2;
    let value = #[receive]
    match receive().await {
        Parcel { to, value, .. } if test(to) && *value == 9 => *value,
        Parcel {
            to,
            value,
            counted: _counted,
        } if test(to) && to == mine => {
            assert_eq!(drops(), 0, "nothing is dropped before the body is over");
            *value
        }
    };
    assert_eq!((value, drops()), (2, 1));
    assert_eq!(*tested.borrow(), [1, 1, 2, 2]);
    let mut left = Vec::new();
    for _ in 0..2 {
        #[receive]
        match receive().await {
            Parcel { value, .. } => left.push(*value),
        }
    }
    assert_eq!((left, drops()), (vec![1, 3], 3));
}

/// Alternatives of several types, and guards that bind.
#[actor]
async fn alternatives_and_chains() {
    me().send(Left(9));
    me().send(Command::Go(5));
    me().send((1u8, String::from("12")));
    let n = #[receive]
    match receive().await {
        Left(n @ 1..=3) | Right(n) | Command::Go(n @ (4 | 5)) if n > 3 => n,
    };
    assert_eq!(n, 5);
    let n = #[receive]
    match receive().await {
        Right(mut n) | Left(mut n) | Command::Go(mut n) => {
            n += 1;
            n
        }
    };
    assert_eq!(n, 10);
    let bound = #[receive]
    match receive().await {
        Typed::<(u8, String)>((one, text)) if one == 0 || text.is_empty() => (text, 0, 0),
        Typed::<(u8, String)>((_, text))
            if let Ok(n) = text.parse::<u8>()
                && n > 10
                && let m = n + 1 =>
        {
            (text, n, m)
        }
    };
    assert_eq!(bound, ("12".into(), 12, 13));
}

/// A guarded catch-all sees what the arms above it refuse, and hands it back.
#[actor]
async fn catch_all_with_a_guard() {
    me().send(Left(1));
    me().send("text");
    me().send(Number(4));
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
        _ => me().send(Right(0)),
    }
    #[receive]
    match receive().await {
        mut other => {
            other = Envelope::new(other.type_name());
            assert!(other.is::<&str>());
        }
    }
}

/// The time is evaluated once, before the wait, and may itself wait. [R10] [R12]
#[actor]
async fn timeouts() {
    let start = now();
    let mut evaluated = 0;
    me().send(Left(1));
    let value: u8 = #[receive(timeout = { evaluated += 1; yield_now().await; Duration::from_millis(5) })]
    match receive().await {
        Left(n) if n > 1 => n,
        uproar::Timeout => 9,
    };
    assert_eq!((value, evaluated), (9, 1));
    assert!(now() - start >= Duration::from_millis(5));
    #[receive(timeout = Duration::ZERO)]
    match receive().await {
        Timeout => unreachable!(),
        Left(n) => assert_eq!(n, 1),
    }
    // A receive of nothing is a sleep.
    #[receive(timeout = Duration::from_millis(1))]
    match receive().await {
        #[cfg(any())]
        Missing(_) => {}
        Timeout => {}
    }
}

fn main() {
    assert_eq!(uproar::run(every_kind_of_arm()), ExitReason::Normal);
    assert_eq!(uproar::run(oldest_first()), ExitReason::Normal);
    assert_eq!(uproar::run(alternatives_and_chains()), ExitReason::Normal);
    assert_eq!(uproar::run(catch_all_with_a_guard()), ExitReason::Normal);
    assert_eq!(uproar::run(timeouts()), ExitReason::Normal);
    assert_eq!(
        uproar::run(nothing_moves_before_the_arm_is_chosen()),
        ExitReason::Normal
    );
}
