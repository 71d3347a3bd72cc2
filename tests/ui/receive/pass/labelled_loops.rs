//! Labels of the loops and blocks around, whatever loops lie between.
#![deny(warnings)]
use uproar::prelude::*;

struct A(u8);
struct B(u8);

#[actor]
async fn labelled_loops() {
    let me = self_address::<LabelledLoops>();
    for n in [1, 2, 9, 2, 3] {
        me.send(A(n));
    }
    let mut seen = Vec::new();
    let last = 'outer: loop {
        let mut turns = 0;
        'inner: while turns < 3 {
            turns += 1;
            for of_turn in 0..2 {
                #[receive]
                match receive().await {
                    A(1) => continue 'inner,
                    A(9) => continue 'outer,
                    A(3) => break 'outer turns,
                    A(n) => seen.push((turns, of_turn, n)),
                }
            }
        }
    };
    assert_eq!(seen, [(2, 0, 2), (1, 0, 2)]);
    assert_eq!(last, 1);
    let block = 'block: {
        me.send(B(1));
        #[receive]
        match receive().await {
            B(0) => {}
            B(n) => break 'block n,
        }
        0
    };
    assert_eq!(block, 1);
}

fn main() {
    assert_eq!(uproar::run(labelled_loops()), ExitReason::Normal);
}
