//! What a guard must not do: it runs while the mailbox is being searched, many times or never.

use syn::visit_mut::{self, VisitMut};
use syn::{
    Expr, ExprAsync, ExprAwait, ExprBlock, ExprBreak, ExprClosure, ExprContinue, ExprForLoop,
    ExprLoop, ExprReturn, ExprTry, ExprWhile, Item, Label, Lifetime,
};

use crate::fallback::Errors;

/// Reports every `.await`, `?`, `return`, and every `break` or `continue` that would leave the guard.
pub fn check(guard: &mut Expr, errors: &mut Errors) {
    Check {
        errors,
        loops: 0,
        labels: Vec::new(),
    }
    .visit_expr_mut(guard);
}

struct Check<'e> {
    errors: &'e mut Errors,
    /// How many loops of the guard's own are around.
    loops: usize,
    /// The guard's own labels that are in scope.
    labels: Vec<Lifetime>,
}

impl Check<'_> {
    fn scope(&mut self, label: Option<&Label>, is_loop: bool, visit: impl FnOnce(&mut Self)) {
        self.labels.extend(label.map(|label| label.name.clone()));
        self.loops += usize::from(is_loop);
        visit(self);
        self.loops -= usize::from(is_loop);
        if label.is_some() {
            self.labels.pop();
        }
    }

    fn leaves(&self, label: Option<&Lifetime>) -> bool {
        match label {
            Some(label) => !self.labels.contains(label),
            None => self.loops == 0,
        }
    }
}

impl VisitMut for Check<'_> {
    fn visit_expr_await_mut(&mut self, awaited: &mut ExprAwait) {
        visit_mut::visit_expr_await_mut(self, awaited);
        self.errors.at(
            awaited.await_token,
            "a guard can't wait: await before the receive, or in the arm's body",
        );
    }

    fn visit_expr_try_mut(&mut self, tried: &mut ExprTry) {
        visit_mut::visit_expr_try_mut(self, tried);
        self.errors.at(
            tried.question_token,
            "a guard can't return: write `.is_ok()` or `.is_some()`, and use `?` in the arm's body",
        );
    }

    fn visit_expr_return_mut(&mut self, returned: &mut ExprReturn) {
        visit_mut::visit_expr_return_mut(self, returned);
        self.errors.at(
            returned.return_token,
            "a guard can't return: return in the arm's body",
        );
    }

    fn visit_expr_break_mut(&mut self, broken: &mut ExprBreak) {
        visit_mut::visit_expr_break_mut(self, broken);
        if self.leaves(broken.label.as_ref()) {
            self.errors.at(
                broken.break_token,
                "a guard can't leave a loop: break in the arm's body",
            );
        }
    }

    fn visit_expr_continue_mut(&mut self, continued: &mut ExprContinue) {
        if self.leaves(continued.label.as_ref()) {
            self.errors.at(
                continued.continue_token,
                "a guard can't continue a loop: continue in the arm's body",
            );
        }
    }

    fn visit_expr_loop_mut(&mut self, of: &mut ExprLoop) {
        self.scope(of.label.clone().as_ref(), true, |check| {
            visit_mut::visit_expr_loop_mut(check, of)
        });
    }

    fn visit_expr_while_mut(&mut self, of: &mut ExprWhile) {
        self.scope(of.label.clone().as_ref(), true, |check| {
            visit_mut::visit_expr_while_mut(check, of)
        });
    }

    fn visit_expr_for_loop_mut(&mut self, of: &mut ExprForLoop) {
        self.scope(of.label.clone().as_ref(), true, |check| {
            visit_mut::visit_expr_for_loop_mut(check, of)
        });
    }

    fn visit_expr_block_mut(&mut self, of: &mut ExprBlock) {
        self.scope(of.label.clone().as_ref(), false, |check| {
            visit_mut::visit_expr_block_mut(check, of)
        });
    }

    fn visit_expr_async_mut(&mut self, _: &mut ExprAsync) {}

    fn visit_expr_closure_mut(&mut self, _: &mut ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut Item) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistakes(text: &str) -> usize {
        let mut errors = Errors::default();
        check(&mut syn::parse_str(text).unwrap(), &mut errors);
        errors.messages().len()
    }

    #[test]
    fn control_flow_that_leaves_is_refused() {
        for text in [
            "f().await",
            "f()?",
            "{ return true }",
            "{ break }",
            "{ continue 'a }",
            "{ loop { break 'a } }",
        ] {
            assert_eq!(mistakes(text), 1, "{text}");
        }
        assert_eq!(mistakes("f()? && g().await"), 2);
    }

    #[test]
    fn control_flow_within_is_not() {
        for text in [
            "n == 1",
            "(|| -> Option<u8> { Some(f()?) })().is_some()",
            "poll(async { f().await })",
            "{ loop { if n { break } else { continue } } }",
            "{ 'a: { break 'a n } }",
        ] {
            assert_eq!(mistakes(text), 0, "{text}");
        }
    }
}
