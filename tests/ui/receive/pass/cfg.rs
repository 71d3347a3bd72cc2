//! Arms, statements, variants and expressions under `#[cfg]`; what is not there adds nothing to the protocol.
#![deny(warnings)]
use uproar::prelude::*;

struct Add(u64);
struct Sub(u64);

#[receive]
enum Wanted {
    #[cfg(any())]
    Missing(Missing),
    #[cfg(not(any()))]
    Add(Add),
    Sub(Sub),
    #[cfg(any())]
    Any(Envelope),
}

#[actor]
async fn conditional(mut total: u64) {
    self_address::<Conditional>().send(Add(1));
    self_address::<Conditional>().send(Add(0));
    for _ in 0..2 {
        #[cfg(any())]
        #[receive]
        match receive().await {
            Missing2(n) => total += n,
        }
        #[receive]
        match receive().await {
            #[cfg(any())]
            Missing(n) => total += n,
            #[cfg(not(any()))]
            Add(0) => total *= 2,
            #[allow(unused_variables)]
            Add(n) if total > 10 => {}
            #[cfg(any())]
            Sub(n) => total += missing(n),
            #[cfg(not(any()))]
            #[cfg(all())]
            Sub(n) => total -= n,
            #[cfg(any())]
            Add(1) => {}
            Add(n) => total += n,
            #[cfg(any())]
            _ => {}
        }
        #[cfg(any())]
        {
            #[receive]
            match receive().await {
                Missing3(n) => total += n,
            }
        }
        #[cfg(any())]
        let Missing4 = #[receive]
        match receive().await {
            Missing4 => Missing4,
        };
    }
    assert_eq!(total, 4);
    self_address::<Wanted>().send(Sub(1));
    match receive().await {
        Wanted::Add(Add(_)) => unreachable!(),
        Wanted::Sub(Sub(n)) => assert_eq!(n, 1),
    }
    // A block of the body imports what only it names.
    #[cfg(any())]
    {
        use missing::Missing5;
        #[receive]
        match receive().await {
            Missing5 => {}
        }
    }
}

const fn receives<P: Receives<M>, M>() {}

fn main() {
    receives::<Conditional, Add>();
    receives::<Conditional, Sub>();
    assert_eq!(uproar::run(conditional(1)), ExitReason::Normal);
}
