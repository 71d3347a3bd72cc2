//! Loops that wait are rewritten, and go on as they did.
#![deny(warnings)]
use std::rc::Rc;

use uproar::prelude::*;

#[actor]
async fn loops() {
    let mut out = Vec::new();
    'a: for i in 0..5u32 {
        if i == 1 {
            continue;
        }
        let mut j = 0;
        while j < 3 {
            j += 1;
            yield_now().await;
            if j == 2 {
                continue 'a;
            }
            if i == 3 {
                break 'a;
            }
            out.push(i * 10 + j);
        }
    }
    let mut items = [7u32, 8, 9].into_iter();
    while let Some(item) = items.next()
        && item < 9
    {
        std::future::ready(()).await;
        out.push(item);
    }
    assert_eq!(out, [1, 21, 7, 8]);
    // No temporary of a condition is held over a turn.
    while Rc::new(1).eq(&Rc::new(2)) {
        yield_now().await;
    }
    let mut boxes = vec![Box::new(1), Box::new(2)];
    for item in &mut boxes {
        **item += 1;
        yield_now().await;
    }
    assert_eq!(*boxes[0] + *boxes[1], 5);
}

fn main() {
    assert_eq!(uproar::run(loops()), ExitReason::Normal);
}
