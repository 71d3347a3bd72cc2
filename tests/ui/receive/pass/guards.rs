//! Guards see what the pattern binds and what is around, call functions, and may bind themselves.
#![deny(warnings)]
use std::cell::Cell;
use std::rc::Rc;

use uproar::prelude::*;

struct Reply {
    id: u64,
    body: String,
}
struct A(u8);

fn me() -> Address<Anything> {
    self_address()
}

#[actor]
async fn guards(wanted: u64) {
    for (id, body) in [(1, "one"), (2, "two"), (3, "3"), (4, "4"), (5, "five")] {
        let body = body.to_owned();
        me().send(Reply { id, body });
    }
    let mut seen = Vec::new();
    for limit in [1, 2, 9, 9, 9] {
        #[receive]
        match receive().await {
            Reply { id, body } if id == wanted && !body.is_empty() => seen.push(body),
            Reply { id, body } if id <= limit && format!("{id}") == "1" => seen.push(body + "!"),
            Reply { body, .. }
                if let Ok(n) = body.parse::<u64>()
                    && n > limit / 3 =>
            {
                seen.push(format!("parsed {n}"));
            }
            Reply { id: 5, .. } | A(_) if limit == 9 => seen.push("last".into()),
            Reply { .. } if seen.len() == 4 => seen.push("rest".into()),
        }
    }
    assert_eq!(seen, ["one!", "two", "parsed 4", "last", "rest"]);
}

/// What a guard binds may borrow from the message, while the body moves it.
#[actor]
async fn borrow_in_the_guard() {
    me().send(Reply {
        id: 1,
        body: "one".into(),
    });
    #[receive]
    match receive().await {
        Reply { body, .. }
            if let Some(rest) = body.strip_prefix("on")
                && rest == "e" =>
        {
            assert_eq!(body, "one");
        }
    }
}

/// Neither a `!Send` value in a guard, nor its borrow of a cell, makes the actor `!Send`.
#[actor]
async fn borrows() {
    let cell = Cell::new(1);
    me().send(A(1));
    #[receive]
    match receive().await {
        A(n) if cell.get() == n && *Rc::new(n) == 1 => cell.set(n + 1),
        A(_) => {}
    }
    assert_eq!(cell.get(), 2);
}

/// Loops, closures and functions of a guard's own may break, continue, return and use `?`.
#[actor]
async fn control_flow_of_their_own() {
    me().send(A(3));
    #[receive]
    match receive().await {
        A(n) if (|| Some(n.checked_sub(4)? + 1))().is_some() => unreachable!(),
        A(n) if {
            let mut m = 0;
            'own: loop {
                loop {
                    m += 1;
                    if m < 3 {
                        continue 'own;
                    }
                    break;
                }
                break m != n;
            }
        } =>
        {
            unreachable!()
        }
        A(_) => {}
    }
}

#[uproar::main]
async fn main() {
    let guards = spawn(guards(2));
    let borrows = spawn(borrows());
    let own = spawn(control_flow_of_their_own());
    let in_the_guard = spawn(borrow_in_the_guard());
    while guards.is_alive() || borrows.is_alive() || own.is_alive() || in_the_guard.is_alive() {
        yield_now().await;
    }
}
