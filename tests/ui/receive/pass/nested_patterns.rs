//! Patterns of every kind: nested, or, range, slice, `@`, rest, constants, references.
#![deny(warnings)]
use uproar::prelude::*;

const LIMIT: u8 = 9;

enum Command {
    Go(u8),
    Stop,
}
struct Deep(Option<(Command, [u8; 3])>);
struct Number(u32);
struct Many(u8, u8, u8, u8);
struct Empty();
struct Borrowed(&'static Option<u8>);
struct List(Vec<u8>, Box<[u8]>);

#[receive]
async fn taken() -> String {
    #[receive(timeout = Duration::ZERO)]
    match receive().await {
        Deep(Some((Command::Go(n @ (1 | 3..=5)), [1, middle, _]))) if middle > n => {
            format!("deep {middle}")
        }
        Deep(Some((Command::Stop, [.., last @ 7] | [last @ 0, ..]))) => format!("stop {last}"),
        Deep(None) => "shallow".into(),
        whole @ Number(1..=LIMIT_32) => format!("whole {}", whole.0),
        Number(n @ (20 | 30..)) => format!("number {n}"),
        Many(first, .., 0) => format!("first {first}"),
        Many(.., LIMIT) => "limit".into(),
        Many(a, b, ..) if a == b => "twins".into(),
        Empty() => "empty".into(),
        Borrowed(&Some(n)) if n > 0 => "borrowed".into(),
        Typed::<[u8; 4]>([first, .., last]) => format!("{first} to {last}"),
        Typed::<[u8; 5]>([first, rest @ ..]) => format!("{first}, {rest:?}"),
        Typed::<(u8, char)>((1..5, letter @ 'a'..='z')) => letter.to_string(),
        Typed::<&'static str>("ping" | "pong") => "game".into(),
        Typed::<u64>(n @ (1..=9 | 20)) => format!("digit {n}"),
        Typed::<bool>(true) => "true".into(),
        Typed::<Option<Command>>(Some(Command::Stop) | None) => "none".into(),
        (List(list, slice))
            if let [1, ..] = &list[..]
                && let [_, 2] = *slice =>
        {
            format!("{list:?}")
        }
        Timeout => "timeout".into(),
    }
}

const LIMIT_32: u32 = LIMIT as u32;

#[actor]
async fn check() {
    macro_rules! check {
        ($($message:expr => $expected:expr),* $(,)?) => {
            $(
                self_address::<Anything>().send($message);
                assert_eq!(taken().await, $expected);
            )*
        };
    }
    check!(
        Deep(Some((Command::Go(3), [1, 4, 0]))) => "deep 4",
        Deep(Some((Command::Stop, [1, 4, 7]))) => "stop 7",
        Deep(None) => "shallow",
        Number(9) => "whole 9",
        Number(20) => "number 20",
        Number(31) => "number 31",
        Many(5, 1, 1, 0) => "first 5",
        Many(5, 1, 1, 9) => "limit",
        Many(5, 5, 1, 1) => "twins",
        Empty() => "empty",
        Borrowed(&Some(1)) => "borrowed",
        [1u8, 2, 3, 4] => "1 to 4",
        [1u8, 2, 3, 4, 5] => "1, [2, 3, 4, 5]",
        (4u8, 'x') => "x",
        "pong" => "game",
        9u64 => "digit 9",
        20u64 => "digit 20",
        true => "true",
        None::<Command> => "none",
        List(vec![1, 2], Box::new([1, 2])) => "[1, 2]",
        // These no arm takes.
        Deep(Some((Command::Go(2), [1, 4, 0]))) => "timeout",
        Deep(Some((Command::Go(3), [1, 3, 0]))) => "timeout",
        Number(10) => "timeout",
        Many(1, 2, 3, 4) => "timeout",
        (5u8, 'x') => "timeout",
        "puff" => "timeout",
        10u64 => "timeout",
        false => "timeout",
        Borrowed(&None) => "timeout",
        Some(Command::Go(0)) => "timeout",
        List(vec![2], Box::new([1, 2])) => "timeout",
    );
    let mut skipped = 0;
    while try_receive::<Envelope>().is_some() {
        skipped += 1;
    }
    assert_eq!(skipped, 11);
}

fn main() {
    assert_eq!(uproar::run(check()), ExitReason::Normal);
}
