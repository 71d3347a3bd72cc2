//! Random programs of sends and selective receives, against a list of messages.

mod support;

use std::pin::Pin;

use futures::future::FutureExt;
use proptest::prelude::*;
use uproar::Runtime;
use uproar::prelude::*;

/// Of three types; the number tells messages of one type apart by what guards look at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Message {
    kind: u8,
    number: u8,
    /// Which of all sent it is.
    serial: usize,
}

#[receive]
struct A(Message);

#[receive]
struct B(Message);

#[receive]
struct C(Message);

#[receive]
enum AorC {
    A(A),
    C(C),
}

/// What a receive accepts: this type, with this remainder.
#[derive(Clone, Copy, Debug)]
struct Filter {
    kind: u8,
    modulus: u8,
    remainder: u8,
}

impl Filter {
    fn accepts(self, message: &Message) -> bool {
        message.kind == self.kind && message.number % self.modulus == self.remainder
    }
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Send {
        kind: u8,
        number: u8,
    },
    /// Lets time pass a little, so that what is sent later comes in another batch.
    Yield,
    TryType(u8),
    TryAny,
    TryEnum,
    /// A receive by predicate, looked at once.
    If(Filter),
    /// A match with two guarded arms, one of them on two types' worth of messages.
    Match {
        even: bool,
        below: u8,
    },
    /// A match whose second arm takes anything with a guard on the outside.
    MatchAny {
        below: u8,
        any: bool,
    },
    /// A receive that stays: it is looked at now, and at each `Look`.
    Begin(Filter),
    Look,
    /// Drops the receive that has waited longest.
    Cancel,
}

fn filter() -> impl Strategy<Value = Filter> {
    (0..3u8, 1..4u8, 0..4u8).prop_map(|(kind, modulus, remainder)| Filter {
        kind,
        modulus,
        remainder: remainder % modulus,
    })
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        10 => (0..3u8, 0..8u8).prop_map(|(kind, number)| Op::Send { kind, number }),
        1 => Just(Op::Yield),
        2 => (0..3u8).prop_map(Op::TryType),
        1 => Just(Op::TryAny),
        1 => Just(Op::TryEnum),
        2 => filter().prop_map(Op::If),
        2 => (any::<bool>(), 0..8u8).prop_map(|(even, below)| Op::Match { even, below }),
        1 => (0..8u8, any::<bool>()).prop_map(|(below, any)| Op::MatchAny { below, any }),
        2 => filter().prop_map(Op::Begin),
        3 => Just(Op::Look),
        1 => Just(Op::Cancel),
    ]
}

/// The oldest that is accepted goes; all others stay in order. [R8]
fn take(model: &mut Vec<Message>, accepts: impl Fn(&Message) -> bool) -> Option<Message> {
    let at = model.iter().position(accepts)?;
    Some(model.remove(at))
}

fn open(any: Envelope) -> Message {
    match any.downcast::<A>() {
        Ok(A(message)) => message,
        Err(any) => match any.downcast::<B>() {
            Ok(B(message)) => message,
            Err(any) => any.downcast::<C>().unwrap().0,
        },
    }
}

type Waiting = Pin<Box<dyn Future<Output = Message>>>;

fn begin(filter: Filter) -> Waiting {
    match filter.kind {
        0 => Box::pin(receive_if(move |m: &A| filter.accepts(&m.0)).map(|m| m.0)),
        1 => Box::pin(receive_if(move |m: &B| filter.accepts(&m.0)).map(|m| m.0)),
        _ => Box::pin(receive_if(move |m: &C| filter.accepts(&m.0)).map(|m| m.0)),
    }
}

async fn run(program: Vec<Op>) {
    let me = self_address::<Anything>();
    let mut model: Vec<Message> = Vec::new();
    let mut waiting: Vec<(Filter, Waiting)> = Vec::new();
    let mut serial = 0;
    for (step, op) in program.into_iter().enumerate() {
        // A budget of its own for each step: a receive that is looked at once is to scan.
        yield_now().await;
        let (got, expected) = match op {
            Op::Send { kind, number } => {
                serial += 1;
                let message = Message {
                    kind,
                    number,
                    serial,
                };
                model.push(message);
                match kind {
                    0 => me.send(A(message)),
                    1 => me.send(B(message)),
                    _ => me.send(C(message)),
                }
                continue;
            }
            Op::Yield => {
                sleep(Duration::from_millis(1)).await;
                continue;
            }
            Op::TryType(kind) => {
                let got = match kind {
                    0 => try_receive::<A>().map(|m| m.0),
                    1 => try_receive::<Typed<B>>().map(|m| m.0.0),
                    _ => receive::<C>()
                        .timeout(Duration::ZERO)
                        .await
                        .ok()
                        .map(|m| m.0),
                };
                (got, take(&mut model, |m| m.kind == kind))
            }
            Op::TryAny => (
                try_receive::<Envelope>().map(open),
                take(&mut model, |_| true),
            ),
            Op::TryEnum => {
                let got = try_receive::<AorC>().map(|m| match m {
                    AorC::A(A(message)) => message,
                    AorC::C(C(message)) => message,
                });
                (got, take(&mut model, |m| m.kind != 1))
            }
            Op::If(filter) => (
                begin(filter).now_or_never(),
                take(&mut model, |m| filter.accepts(m)),
            ),
            Op::Match { even, below } => {
                let got = matched(even, below).await;
                let accepts = |m: &Message| match m.kind {
                    0 => m.number.is_multiple_of(2) == even,
                    2 => m.number < below || m.number == 7,
                    _ => false,
                };
                (got, take(&mut model, accepts))
            }
            Op::MatchAny { below, any } => {
                let got = matched_any(below, any).await;
                let accepts = |m: &Message| any || (m.kind == 1 && m.number < below);
                (got, take(&mut model, accepts))
            }
            Op::Begin(filter) => {
                let mut receive = begin(filter);
                let got = receive.as_mut().now_or_never();
                if got.is_none() {
                    waiting.push((filter, receive));
                }
                (got, take(&mut model, |m| filter.accepts(m)))
            }
            Op::Look => {
                let mut i = 0;
                while i < waiting.len() {
                    yield_now().await;
                    let (filter, receive) = &mut waiting[i];
                    let filter = *filter;
                    let got = receive.as_mut().now_or_never();
                    let expected = take(&mut model, |m| filter.accepts(m));
                    assert_eq!(got, expected, "step {step}: a look with {filter:?}");
                    if got.is_some() {
                        drop(waiting.remove(i));
                    } else {
                        i += 1;
                    }
                }
                continue;
            }
            Op::Cancel => {
                if !waiting.is_empty() {
                    drop(waiting.remove(0));
                }
                continue;
            }
        };
        assert_eq!(got, expected, "step {step}: {op:?}");
    }
    drop(waiting);
    let mut rest = Vec::new();
    while let Some(any) = try_receive::<Envelope>() {
        rest.push(open(any));
    }
    assert_eq!(rest, model, "what is left");
}

#[receive]
async fn matched(even: bool, below: u8) -> Option<Message> {
    #[receive(timeout = Duration::ZERO)]
    match receive().await {
        A(message) if message.number.is_multiple_of(2) == even => Some(message),
        C(Message {
            kind,
            number: 7,
            serial,
        }) => Some(Message {
            kind,
            number: 7,
            serial,
        }),
        C(message) if message.number < below => Some(message),
        Timeout => None,
    }
}

#[receive]
async fn matched_any(below: u8, any: bool) -> Option<Message> {
    #[receive(timeout = Duration::ZERO)]
    match receive().await {
        B(message) if message.number < below => Some(message),
        envelope if any => Some(open(envelope)),
        Timeout => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(debug_assertions) { 3_000 } else { 20_000 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    // [R8] [R9] [R10] [R15]
    #[test]
    fn receives_take_what_the_model_says(
        program in prop::collection::vec(op(), 0..80),
        bounded in any::<bool>(),
    ) {
        let _watchdog = support::watchdog(120);
        // A bound that is never reached takes another way through the mailbox.
        let mailbox = if bounded {
            Mailbox::bounded(1000).drop_oldest()
        } else {
            Mailbox::unbounded()
        };
        let runtime = Runtime::builder().mailbox(mailbox).workers(1).manual();
        runtime.block_on(run(program));
    }
}
