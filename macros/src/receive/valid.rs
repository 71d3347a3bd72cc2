//! The rules that a `#[receive] match` must keep as a whole.

use syn::Type;

use super::ast::{Arm, Receive};
use super::guard;
use super::pattern::Accepts;
use crate::fallback::Errors;

/// Reports every broken rule at its place. If the receive is not complete, an arm has been reported already.
pub fn check(receive: &mut Receive, complete: bool, errors: &mut Errors) {
    timeouts(receive, complete, errors);
    reachable(receive, errors);
    for arm in &mut receive.arms {
        if let Some(guard) = &mut arm.guard
            && !matches!(arm.accepts, Accepts::Timeout(_))
        {
            guard::check(&mut guard.condition, errors);
        }
    }
}

fn timeouts(receive: &Receive, complete: bool, errors: &mut Errors) {
    let arms = receive
        .arms
        .iter()
        .filter(|arm| matches!(arm.accepts, Accepts::Timeout(_)));
    for (index, arm) in arms.clone().enumerate() {
        if receive.timeout.is_none() {
            errors.at(
                &arm.written,
                "this arm needs a time: write `#[receive(timeout = ..)]` on the `match`",
            );
        } else if index > 0 && !has_cfg(&arm.attrs) {
            errors.at(&arm.written, "this receive has a `Timeout` arm already");
        }
        if let Some(guard) = &arm.guard {
            errors.at(
                guard.if_token,
                "a `Timeout` arm has no guard: decide in its body",
            );
        }
    }
    if let Some(timeout) = &receive.timeout
        && arms.count() == 0
        && complete
    {
        match receive.arms.iter().find(|arm| takes_timeout(arm)) {
            Some(arm) => errors.at(
                &arm.written,
                "a receive with a timeout needs a `Timeout => ..` arm: write `Timeout` alone",
            ),
            None => errors.at(
                timeout,
                "a receive with a timeout needs a `Timeout => ..` arm",
            ),
        }
    }
}

/// Whether the arm takes messages of a type called `Timeout`.
fn takes_timeout(arm: &Arm) -> bool {
    let is_timeout = |ty: &Type| matches!(ty, Type::Path(of) if of.path.is_ident("Timeout"));
    match &arm.accepts {
        Accepts::Messages(all) => all.iter().any(|alternative| is_timeout(&alternative.ty)),
        _ => false,
    }
}

/// An arm below one that takes everything takes nothing.
fn reachable(receive: &Receive, errors: &mut Errors) {
    let takes_all = receive.arms.iter().position(|arm| {
        matches!(arm.accepts, Accepts::Anything(_)) && arm.guard.is_none() && !has_cfg(&arm.attrs)
    });
    let Some(takes_all) = takes_all else { return };
    for arm in &receive.arms[takes_all + 1..] {
        if !matches!(arm.accepts, Accepts::Timeout(_)) {
            errors.at(
                &arm.written,
                "nothing reaches this arm: one above it takes any message",
            );
        }
    }
}

fn has_cfg(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(|attr| attr.path().is_ident("cfg"))
}
