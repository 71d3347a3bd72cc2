//! What the macros cost beside the same code by hand: nothing in the future, and
//! nothing in allocations.

use std::alloc::{GlobalAlloc, Layout, System};
use std::any::TypeId;
use std::cell::Cell;
use std::hint::black_box;
use std::mem::size_of_val;

use uproar::__private::{Scan, Step, Wants, turn};
use uproar::prelude::*;
use uproar::{Actor, Runtime};

/// Counts the allocations of each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: `System` does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: by the caller's contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: by the caller's contract.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

struct Number(u64);
struct Text(String);
struct Big(Vec<u64>, [u64; 32]);
struct Get(ReplyTo<u64>);
struct Total;

fn wants(types: &'static [TypeId]) -> Wants {
    Wants::Types(types)
}

mod by_macro {
    use super::*;

    #[actor]
    pub async fn one(mut total: u64) {
        loop {
            #[receive]
            match receive().await {
                Number(n) => total += black_box(n + total),
            }
        }
    }

    #[actor]
    pub async fn several(mut total: u64) {
        loop {
            #[receive]
            match receive().await {
                Number(n) => total += n,
                Text(text) => total += text.len() as u64,
                Get(reply_to) => reply_to.send(total),
            }
        }
    }

    #[actor]
    pub async fn guarded(mut total: u64) {
        loop {
            #[receive]
            match receive().await {
                Number(n) if n > total => total = n,
                Text(text) => total += text.len() as u64,
            }
        }
    }

    #[actor]
    pub async fn waiting(mut total: u64) {
        loop {
            #[receive]
            match receive().await {
                Big(list, all) => {
                    yield_now().await;
                    total += list[0] + all[0];
                }
                Text(text) => {
                    yield_now().await;
                    total += text.len() as u64;
                }
                Get(reply_to) => reply_to.send(total),
            }
        }
    }

    #[actor]
    pub async fn timed(mut total: u64) {
        loop {
            #[receive(timeout = Duration::from_secs(1))]
            match receive().await {
                Number(n) => total += black_box(n + total),
                Timeout => {
                    yield_now().await;
                    total += 1;
                }
            }
        }
    }
}

/// As careful hands write it: no choice is kept beside what was chosen.
#[allow(clippy::large_enum_variant, clippy::result_large_err)]
mod by_hand {
    use super::*;

    /// The shortest form, and the smallest: it can't look at variables around it.
    pub async fn one(mut total: u64) {
        loop {
            turn().await;
            let Number(n) = receive_if(|_: &Number| true).await;
            total += black_box(n + total);
        }
    }

    enum Next {
        Number(Number),
        Text(Text),
        Get(Get),
    }

    pub async fn several(mut total: u64) {
        const WANTS: &[TypeId] = &[
            TypeId::of::<Number>(),
            TypeId::of::<Text>(),
            TypeId::of::<Get>(),
        ];
        loop {
            turn().await;
            let mut scan = Scan::new(wants(WANTS));
            let next = loop {
                let step = scan.step(|slot| {
                    slot.take_if(|message| Ok(Next::Number(message)))
                        .or_else(|| slot.take_if(|message| Ok(Next::Text(message))))
                        .or_else(|| slot.take_if(|message| Ok(Next::Get(message))))
                });
                if let Step::Taken(next) = step {
                    break next;
                }
                scan.wait().await;
            };
            match next {
                Next::Number(Number(n)) => total += n,
                Next::Text(Text(text)) => total += text.len() as u64,
                Next::Get(Get(reply_to)) => reply_to.send(total),
            }
        }
    }

    pub async fn guarded(mut total: u64) {
        const WANTS: &[TypeId] = &[TypeId::of::<Number>(), TypeId::of::<Text>()];
        loop {
            turn().await;
            let mut scan = Scan::new(wants(WANTS));
            loop {
                let step = scan.step(|slot| {
                    slot.take_if(|message| match message {
                        Number(n) if n > total => Ok(Next::Number(message)),
                        message => Err(message),
                    })
                    .or_else(|| slot.take_if(|message| Ok(Next::Text(message))))
                });
                match step {
                    Step::Taken(Next::Number(Number(n))) => total = n,
                    Step::Taken(Next::Text(Text(text))) => total += text.len() as u64,
                    _ => {
                        scan.wait().await;
                        continue;
                    }
                }
                break;
            }
        }
    }

    enum Large {
        Big(Big),
        Text(Text),
        Get(Get),
    }

    pub async fn waiting(mut total: u64) {
        const WANTS: &[TypeId] = &[
            TypeId::of::<Big>(),
            TypeId::of::<Text>(),
            TypeId::of::<Get>(),
        ];
        'turns: loop {
            turn().await;
            let Big(list, all) = 'big: {
                let Text(text) = 'text: {
                    let mut scan = Scan::new(wants(WANTS));
                    loop {
                        let step = scan.step(|slot| {
                            slot.take_if(|message| Ok(Large::Big(message)))
                                .or_else(|| slot.take_if(|message| Ok(Large::Text(message))))
                                .or_else(|| slot.take_if(|message| Ok(Large::Get(message))))
                        });
                        match step {
                            Step::Taken(Large::Big(big)) => break 'big big,
                            Step::Taken(Large::Text(text)) => break 'text text,
                            Step::Taken(Large::Get(Get(reply_to))) => {
                                reply_to.send(total);
                                continue 'turns;
                            }
                            _ => {}
                        }
                        scan.wait().await;
                    }
                };
                yield_now().await;
                total += text.len() as u64;
                continue 'turns;
            };
            yield_now().await;
            total += list[0] + all[0];
        }
    }

    pub async fn timed(mut total: u64) {
        const WANTS: &[TypeId] = &[TypeId::of::<Number>()];
        loop {
            turn().await;
            let next = {
                let mut scan = Scan::with_timeout(wants(WANTS), Duration::from_secs(1));
                loop {
                    match scan.step(|slot| slot.take_if(|Number(n)| Ok(n))) {
                        Step::Taken(n) => break Some(n),
                        Step::TimedOut => break None,
                        Step::Wait => {}
                    }
                    scan.wait().await;
                }
            };
            match next {
                Some(n) => total += black_box(n + total),
                None => {
                    yield_now().await;
                    total += 1;
                }
            }
        }
    }
}

/// A struct actor with large state and a large message.
struct Adder {
    total: u64,
    state: [u64; 16],
}

impl Adder {
    fn new() -> Self {
        Adder {
            total: 0,
            state: [0; 16],
        }
    }
}

#[actor]
impl Adder {
    #[receive]
    fn number(&mut self, Number(n): Number) {
        self.total += n;
    }

    #[receive]
    async fn big(&mut self, message: Big) {
        yield_now().await;
        self.total += message.0[0] + message.1[0] + self.state[0];
    }

    #[receive]
    async fn text(&mut self, Text(text): Text) -> u64 {
        yield_now().await;
        self.total += text.len() as u64;
        self.total
    }

    #[receive]
    fn total(&mut self, _: Total) -> u64 {
        self.total
    }

    #[receive]
    fn get(&mut self, Get(reply_to): Get) {
        reply_to.send(self.total);
    }
}

/// The same with the same methods, by hand.
async fn adder_by_hand(mut adder: Adder) {
    loop {
        let message = receive_if(|_: &Big| true).await;
        adder.big(message).await;
    }
}

const WORD: usize = size_of::<usize>();

// A `#[receive] match` is no larger than the same receive by hand. Beside a `receive_if`
// it has one pointer more, for its guards see what is around them.
#[test]
fn a_receive_adds_nothing_to_the_future() {
    let cases = [
        (
            "one arm",
            size_of_val(&by_macro::one(0)),
            size_of_val(&by_hand::one(0)) + WORD,
        ),
        (
            "several arms",
            size_of_val(&by_macro::several(0)),
            size_of_val(&by_hand::several(0)),
        ),
        (
            "a guard",
            size_of_val(&by_macro::guarded(0)),
            size_of_val(&by_hand::guarded(0)),
        ),
        (
            "bodies that wait",
            size_of_val(&by_macro::waiting(0)),
            size_of_val(&by_hand::waiting(0)),
        ),
        (
            "a timeout",
            size_of_val(&by_macro::timed(0)),
            size_of_val(&by_hand::timed(0)),
        ),
    ];
    for (case, by_macro, by_hand) in cases {
        println!("{case}: {by_macro} bytes by macro, {by_hand} by hand");
        assert!(by_macro <= by_hand, "{case}: {by_macro}, {by_hand} by hand");
    }
}

// The loop of a struct actor holds its state once, the handler in progress, and who
// waits for the reply.
#[test]
fn handlers_add_nothing_to_the_future() {
    let future = size_of_val(&Adder::new().into_future());
    let by_hand = size_of_val(&adder_by_hand(Adder::new()));
    let handler = size_of_val(&Adder::new().big(Big(Vec::new(), [0; 32])));
    println!("{future} bytes by macro, {by_hand} by hand, {handler} a handler");
    assert!(future <= by_hand, "{future}, {by_hand} by hand");
    assert!(
        future <= size_of::<Adder>() + handler + 3 * WORD,
        "{future}, of which {handler} for a handler"
    );
}

/// Allocations in the second half of so many turns; the first half warms up.
async fn allocations(turns: u64, mut turn: impl AsyncFnMut(u64)) -> u64 {
    let mut before = 0;
    for n in 0..turns {
        if n == turns / 2 {
            before = ALLOCATIONS.get();
        }
        turn(n).await;
    }
    ALLOCATIONS.get() - before
}

const TURNS: u64 = 2_000;

// Not one in a receive, by macro or by hand; in an ask and in a call there is one, the
// place for the reply.
#[test]
fn nothing_is_allocated_but_the_place_of_a_reply() {
    let runtime = Runtime::builder().workers(1).manual();
    runtime.block_on(async {
        let macro_actor = spawn(by_macro::several(0));
        let hand_actor = spawn(by_hand::several(0));
        let sent = allocations(TURNS, async |n| {
            macro_actor.send(Number(n));
            yield_now().await;
        })
        .await;
        let sent_by_hand = allocations(TURNS, async |n| {
            hand_actor.send(Number(n));
            yield_now().await;
        })
        .await;
        let asked = allocations(TURNS, async |_| {
            macro_actor.ask(Get).await.map(drop).unwrap();
        })
        .await;
        let asked_by_hand = allocations(TURNS, async |_| {
            hand_actor.ask(Get).await.map(drop).unwrap();
        })
        .await;
        println!("sent {sent}, by hand {sent_by_hand}; asked {asked}, by hand {asked_by_hand}");
        assert!(
            sent <= sent_by_hand + SLACK,
            "{sent}, {sent_by_hand} by hand"
        );
        assert!(
            asked <= asked_by_hand + SLACK,
            "{asked}, {asked_by_hand} by hand"
        );

        let adder = spawn(Adder::new());
        let handled = allocations(TURNS, async |n| {
            adder.send(Number(n));
            yield_now().await;
        })
        .await;
        let called = allocations(TURNS, async |_| {
            adder.call(Total).await.map(drop).unwrap();
        })
        .await;
        println!("handled {handled}, called {called}");
        assert!(handled <= sent_by_hand + SLACK, "{handled}");
        assert!(called <= asked_by_hand + SLACK, "{called}");
    });
}

/// The main actor is pinned, and the queue of the pinned takes a block now and then.
const SLACK: u64 = TURNS / 100;
